package io.hearth.agent.peers;

import io.hearth.discovery.mdns.machine.TagKey;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.roster.RosterBook;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The keys of a node's adverts. They are overwritten when the node ends; until then a thread of mDNS may use a former one. */
public final class TagKeys implements AutoCloseable {
    private final Queue<NamespaceKeys> owned = new ConcurrentLinkedQueue<>();

    /** The current key, which signs adverts, and the former one, which verifies those of a machine that was away. */
    public List<TagKey> of(RosterBook book) {
        var keys = new ArrayList<TagKey>();
        for (NetworkNamespace namespace :
                book.former().map(old -> List.of(book.current(), old)).orElse(List.of(book.current()))) {
            NamespaceKeys derived = namespace.keys();
            owned.add(derived);
            keys.add(new TagKey(namespace.generation(), derived::tagMac));
        }
        return keys;
    }

    @Override
    public void close() {
        owned.forEach(NamespaceKeys::close);
        owned.clear();
    }
}
