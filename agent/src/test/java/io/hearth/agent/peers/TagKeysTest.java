package io.hearth.agent.peers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hearth.discovery.mdns.machine.TagKey;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.roster.Ed25519;
import io.hearth.identity.roster.RosterBook;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TagKeysTest {
    private static final byte[] WORDS = {1, 2, 3};

    private final NodeIdentity self = NodeIdentity.generate();
    private final RosterBook first = RosterBook.bySecret(NetworkNamespace.create("home"))
            .founded(Ed25519.hand(self), "own", 1, Ed25519.INSTANCE);
    private final RosterBook second =
            first.rotated(Ed25519.hand(self), first.current().successor(), 2, Ed25519.INSTANCE);

    private static byte[] mac(NetworkNamespace namespace) {
        try (NamespaceKeys keys = namespace.keys()) {
            return keys.tagMac(WORDS);
        }
    }

    @Test
    void theKeysOfEverySecretServeUntilTheNodeEndsAndAreOverwrittenThen() {
        var tags = new TagKeys();
        var handedOut = new ArrayList<>(tags.of(first));
        handedOut.addAll(tags.of(second));
        List<NetworkNamespace> secrets = List.of(first.current(), second.current(), first.current());
        assertEquals(
                List.of(1, 2, 1), handedOut.stream().map(TagKey::generation).toList());
        for (int i = 0; i < secrets.size(); i++) {
            assertArrayEquals(mac(secrets.get(i)), handedOut.get(i).mac().of(WORDS));
        }
        tags.close();
        for (int i = 0; i < secrets.size(); i++) {
            assertFalse(
                    Arrays.equals(mac(secrets.get(i)), handedOut.get(i).mac().of(WORDS)), "key " + i);
        }
    }
}
