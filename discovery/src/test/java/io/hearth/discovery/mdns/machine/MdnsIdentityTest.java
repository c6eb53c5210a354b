package io.hearth.discovery.mdns.machine;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hearth.discovery.mdns.Keys;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class MdnsIdentityTest {
    /** Any eight characters (four bytes in hexadecimal) that an observer could compare differ between two identities of one node. */
    @Test
    void twoStaysOfOneNodeHaveNothingInCommon() {
        TagEncoding tags = Keys.codec("home");
        var random = new SecureRandom();
        for (int i = 0; i < 20; i++) {
            var former = new TreeSet<String>();
            for (String shown : shown(MdnsIdentity.fresh(tags, 52_416, Optional.empty(), random))) {
                for (int at = 0; at + 8 <= shown.length(); at++) {
                    former.add(shown.substring(at, at + 8));
                }
            }
            for (String shown : shown(MdnsIdentity.fresh(tags, 52_416, Optional.empty(), random))) {
                for (int at = 0; at + 8 <= shown.length(); at++) {
                    assertFalse(former.contains(shown.substring(at, at + 8)), shown);
                }
            }
        }
    }

    private static List<String> shown(MdnsIdentity stay) {
        return List.of(
                stay.serviceName(),
                stay.hostName(),
                String.valueOf(stay.advert().txt().get("n")),
                String.valueOf(stay.advert().txt().get("t")));
    }
}
