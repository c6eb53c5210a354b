package io.hearth.agent.http;

import io.hearth.identity.Labels;
import io.netty.channel.Channel;
import io.netty.channel.socket.nio.NioChannelOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the client of a unix socket is of the socket's user, by user id: users without an entry in the user database have no name. */
final class SameUser {
    private static final Logger LOG = LoggerFactory.getLogger(SameUser.class);

    private SameUser() {}

    static boolean isOn(Channel client, Path socket) throws IOException {
        UnixDomainPrincipal peer = client.config().getOption(NioChannelOption.of(ExtendedSocketOptions.SO_PEERCRED));
        UserPrincipal owner = Files.getOwner(socket);
        if (peer != null && peer.user().equals(owner)) {
            return true;
        }
        LOG.warn(
                "local api refused user={}: it serves {} only",
                peer == null ? "unknown" : Labels.clean(peer.user().getName()),
                owner.getName());
        return false;
    }
}
