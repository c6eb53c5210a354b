package io.hearth.agent.loop;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.transport.DialFailure;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.RekeyChannel;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.SortedMap;

/** Turns the events of links into events of the owner thread. */
public record LinkEvents(NodeInbox inbox) implements LinkObserver {
    @Override
    public void admitted(LinkInfo link) {
        inbox.event(new NodeEvent.Admitted(link));
    }

    @Override
    public void moved(LinkInfo link) {
        inbox.event(new NodeEvent.Moved(link));
    }

    @Override
    public void reached(LinkInfo link) {
        inbox.event(new NodeEvent.Reached(link));
    }

    @Override
    public void relayFailed(NodeId via, NodeId target, String text) {
        inbox.event(new NodeEvent.RelayFailed(via, target, text));
    }

    @Override
    public void received(NodeId from, long incarnation, int kind, byte[] message) {
        inbox.message(new NodeEvent.Message(from, incarnation, kind, message));
    }

    @Override
    public void lost(NodeId peer, String reason) {
        inbox.event(new NodeEvent.Lost(peer, reason));
    }

    @Override
    public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {
        inbox.event(new NodeEvent.Refused(address, peer, refusal, text));
    }

    @Override
    public void doubled(SortedMap<PeerId, DoubledIdentity> machines) {
        inbox.event(new NodeEvent.Doubled(machines));
    }

    @Override
    public void ownDoubled(DoubledIdentity found, NodeId by) {
        inbox.event(new NodeEvent.OwnDoubled(found, by));
    }

    @Override
    public void rekeyOpened(RekeyChannel channel) {
        inbox.event(new NodeEvent.RekeyOpened(channel));
    }

    @Override
    public void rekeyReceived(RekeyChannel channel, int kind, byte[] message) {
        inbox.rekey(new NodeEvent.RekeyMessage(channel, kind, message));
    }

    @Override
    public void rekeyClosed(RekeyChannel channel) {
        inbox.event(new NodeEvent.RekeyClosed(channel));
    }

    @Override
    public void failed(Throwable why) {
        inbox.event(new NodeEvent.Failed("a thread of the links", why));
    }

    @Override
    public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {
        inbox.event(new NodeEvent.DialFailed(address, failure, text));
    }
}
