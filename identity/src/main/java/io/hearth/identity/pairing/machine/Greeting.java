package io.hearth.identity.pairing.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.Labels;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * The content of the sealed welcome: length of the label as 2 bytes, the sponsor's label, the welcome itself.
 *
 * @param welcome opaque to pairing
 */
record Greeting(String label, Bytes welcome) {
    Greeting {
        label = Labels.clean(label);
    }

    /** The bytes, which the caller wipes. */
    byte[] encode() {
        byte[] text = label.getBytes(StandardCharsets.UTF_8);
        byte[] content = welcome.toArray();
        byte[] all = ByteBuffer.allocate(Short.BYTES + text.length + content.length)
                .putShort((short) text.length)
                .put(text)
                .put(content)
                .array();
        Arrays.fill(content, (byte) 0);
        return all;
    }

    /** Empty if the bytes are not a greeting. */
    static Optional<Greeting> decode(byte[] all) {
        if (all.length < Short.BYTES) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(all);
        int length = in.getShort() & 0xFFFF;
        if (length > in.remaining()) {
            return Optional.empty();
        }
        byte[] text = new byte[length];
        in.get(text);
        byte[] content = new byte[in.remaining()];
        in.get(content);
        return Optional.of(new Greeting(new String(text, StandardCharsets.UTF_8), Bytes.of(content)));
    }
}
