package io.hearth.discovery.mdns;

import io.hearth.discovery.mdns.machine.TagEncoding;
import io.hearth.discovery.mdns.machine.TagKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Tag keys as a namespace would derive them. */
public final class Keys {
    private Keys() {}

    public static TagKey of(String secret, int generation) {
        var key = new SecretKeySpec((secret + generation).getBytes(StandardCharsets.UTF_8), "HmacSHA256");
        return new TagKey(generation, parts -> {
            try {
                var mac = Mac.getInstance("HmacSHA256");
                mac.init(key);
                for (byte[] part : parts) {
                    mac.update(part);
                }
                return mac.doFinal();
            } catch (GeneralSecurityException missing) {
                throw new AssertionError(missing);
            }
        });
    }

    public static TagEncoding codec(String secret) {
        return new TagEncoding(List.of(of(secret, 1)));
    }
}
