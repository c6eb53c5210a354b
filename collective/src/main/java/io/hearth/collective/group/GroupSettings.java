package io.hearth.collective.group;

import io.hearth.collective.Signature;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.collective.schedule.SplitMix;
import java.util.Optional;

/**
 * The part of an engine's configuration that determines the segments and the order of every call's bytes. All members must have the same
 * settings; the first record of each number carries them. Requested strategies are part of the {@link Signature} instead.
 *
 * @param segmentBytes as in the configuration
 * @param inTurnBytesMax as in the configuration
 * @param inPlaceBytesMin as in the configuration
 * @param bucketBytes as in the configuration
 * @param links a digest of the model
 */
public record GroupSettings(int segmentBytes, int inTurnBytesMax, long inPlaceBytesMin, long bucketBytes, long links) {
    public GroupSettings {
        if (segmentBytes < 0 || inTurnBytesMax < 0 || inPlaceBytesMin < 0 || bucketBytes < 0) {
            throw new IllegalArgumentException("settings must be 0 or more, got segmentBytes " + segmentBytes
                    + ", inTurnBytesMax " + inTurnBytesMax + ", inPlaceBytesMin " + inPlaceBytesMin
                    + " and bucketBytes " + bucketBytes);
        }
    }

    public GroupSettings(
            int segmentBytes, int inTurnBytesMax, long inPlaceBytesMin, long bucketBytes, LinkModel links) {
        this(segmentBytes, inTurnBytesMax, inPlaceBytesMin, bucketBytes, digest(links));
    }

    /** For messages: the first setting that differs, with the values of {@code theirName} and {@code ownName}; empty if none differs. */
    public Optional<String> difference(String ownName, GroupSettings theirs, String theirName) {
        if (segmentBytes != theirs.segmentBytes) {
            return Optional.of(text("segmentBytes", ownName, segmentBytes, theirName, theirs.segmentBytes));
        }
        if (inTurnBytesMax != theirs.inTurnBytesMax) {
            return Optional.of(text("inTurnBytesMax", ownName, inTurnBytesMax, theirName, theirs.inTurnBytesMax));
        }
        if (inPlaceBytesMin != theirs.inPlaceBytesMin) {
            return Optional.of(text("inPlaceBytesMin", ownName, inPlaceBytesMin, theirName, theirs.inPlaceBytesMin));
        }
        if (bucketBytes != theirs.bucketBytes) {
            return Optional.of(text("bucketBytes", ownName, bucketBytes, theirName, theirs.bucketBytes));
        }
        if (links != theirs.links) {
            return Optional.of(theirName + " and " + ownName + " have different models of their links");
        }
        return Optional.empty();
    }

    private static String text(String setting, String ownName, long own, String theirName, long theirs) {
        return theirName + " has " + setting + " " + theirs + ", " + ownName + " has " + own;
    }

    private static long digest(LinkModel links) {
        long digest = 0;
        for (double constant : new double[] {
            links.alphaNanos(),
            links.betaNanosPerByte(),
            links.gammaNanosPerByte(),
            links.messageNanos(),
            links.contention(),
            links.handOverNanos()
        }) {
            digest = SplitMix.mix(digest + Double.doubleToLongBits(constant) + 1);
        }
        return digest;
    }
}
