package io.hearth.discovery.mdns.machine;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The content of a node's mDNS TXT record, under 200 bytes. It reveals neither the node nor its namespace or clock.
 *
 * <pre>
 * v=1                 version of this record
 * n=22 characters     nonce, base64url
 * t=22 characters     tag, base64url (see {@link TagEncoding})
 * p=2 digits          nameplate, only while this node offers to pair
 * </pre>
 *
 * @param nonce {@value #NONCE_BYTES} random bytes, new for each {@link MdnsIdentity}
 * @param tag {@value #TAG_BYTES} bytes
 * @param nameplate two digits
 */
public record Advert(Bytes nonce, Bytes tag, Optional<String> nameplate) {
    /** Size of a nonce. */
    public static final int NONCE_BYTES = 16;

    /** Size of a tag. */
    public static final int TAG_BYTES = 16;

    private static final String VERSION = "1";
    private static final int ENCODED_CHARACTERS = 22;
    private static final Pattern NAMEPLATE = Pattern.compile("[0-9]{2}");

    public Advert {
        if (nonce.size() != NONCE_BYTES || tag.size() != TAG_BYTES) {
            throw new IllegalArgumentException("nonce and tag must have " + NONCE_BYTES + " and " + TAG_BYTES
                    + " bytes, got " + nonce.size() + " and " + tag.size());
        }
        if (nameplate.isPresent() && !NAMEPLATE.matcher(nameplate.get()).matches()) {
            throw new IllegalArgumentException("nameplate must be two digits");
        }
    }

    /** Whether the node offers to pair under that nameplate. */
    boolean shows(String digits) {
        return nameplate.isPresent() && nameplate.get().equals(digits);
    }

    /** The entries of the TXT record. */
    public Map<String, String> txt() {
        var base64 = Base64.getUrlEncoder().withoutPadding();
        var txt = new TreeMap<String, String>();
        txt.put("v", VERSION);
        txt.put("n", base64.encodeToString(nonce.toArray()));
        txt.put("t", base64.encodeToString(tag.toArray()));
        nameplate.ifPresent(digits -> txt.put("p", digits));
        return txt;
    }

    /**
     * Reads a TXT record from an untrusted sender.
     *
     * @param txt the value of an entry, or null if the record has no such entry
     * @throws MalformedMessageException if the record is not of this version or is malformed; the text says why
     */
    public static Advert parse(Function<String, @Nullable String> txt) throws MalformedMessageException {
        String version = txt.apply("v");
        if (!VERSION.equals(version)) {
            throw new MalformedMessageException(
                    version == null ? "the record has no version" : "the record has another version than " + VERSION);
        }
        String nameplate = txt.apply("p");
        if (nameplate != null && !NAMEPLATE.matcher(nameplate).matches()) {
            throw new MalformedMessageException("the record's nameplate is not two digits");
        }
        return new Advert(decode("n", txt.apply("n")), decode("t", txt.apply("t")), Optional.ofNullable(nameplate));
    }

    private static Bytes decode(String key, @Nullable String text) throws MalformedMessageException {
        if (text == null || text.length() != ENCODED_CHARACTERS) {
            throw new MalformedMessageException(
                    "the record's " + key + " is not " + ENCODED_CHARACTERS + " characters");
        }
        try {
            return Bytes.of(Base64.getUrlDecoder().decode(text));
        } catch (IllegalArgumentException foreign) {
            throw new MalformedMessageException("the record's " + key + " is not base64url", foreign);
        }
    }
}
