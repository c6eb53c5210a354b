package io.hearth.simulation.setting;

import io.hearth.election.Ballot;
import io.hearth.election.ElectionEvent;
import io.hearth.election.Lineage;
import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.Ending;
import java.util.Optional;
import java.util.function.Function;

/** Describes the events of a world in short lines. */
public final class Narrator {
    private final Function<NodeId, String> names;

    public Narrator(Function<NodeId, String> names) {
        this.names = names;
    }

    /** The line of an effect; empty for effects that would only fill the page. */
    public Optional<String> line(ViewEffect effect) {
        return switch (effect) {
            case ViewEffect.Vote(VoterTask task) -> Optional.of("votes: " + text(task));
            case ViewEffect.Rest(boolean rests) -> Optional.of(rests ? "rests" : "rests no more");
            case ViewEffect.Send(NodeId to, Message message) ->
                message instanceof Message.Heartbeat
                        ? Optional.empty()
                        : Optional.of("-> " + names.apply(to) + " " + text(message));
            case ViewEffect.Freeze(Lineage lineage, long epoch) ->
                Optional.of("freezes for the successor of " + text(lineage) + " e" + epoch);
            case ViewEffect.Install(View view) -> Optional.of("INSTALLS " + text(view));
            case ViewEffect.Removed(ViewEffect.Removed.Cause _, String why) -> Optional.of("REMOVED: " + why);
            case ViewEffect.Left() -> Optional.of("may exit");
            case ViewEffect.Hold(boolean held) -> Optional.of(held ? "holds its group" : "holds its group no more");
            case ViewEffect.Announce(var event) ->
                Optional.of("announces " + event.getClass().getSimpleName()
                        + (event instanceof ElectionEvent.Started started ? ": " + started.why() : ""));
            case ViewEffect.Pending(String reason) ->
                reason.isEmpty() ? Optional.empty() : Optional.of("waits: " + reason);
        };
    }

    public String text(Ending ending) {
        return ending.sum()
                .map(sum -> sum.contributors().stream().map(names).toList() + " of group epoch " + sum.groupEpoch())
                .orElse("no result");
    }

    public String text(View view) {
        var text = new StringBuilder(text(view.lineage()))
                .append(" e")
                .append(view.epoch())
                .append(" [");
        view.members()
                .forEach(member -> text.append(text.charAt(text.length() - 1) == '[' ? "" : " ")
                        .append(names.apply(member.node()))
                        .append('.')
                        .append(member.incarnation())
                        .append('@')
                        .append(member.entryEpoch()));
        text.append(']');
        view.groups()
                .forEach(group ->
                        text.append(' ').append(group.name()).append(":e").append(group.epoch()));
        return text.toString();
    }

    private String text(VoterTask task) {
        return switch (task) {
            case VoterTask.Enter enter -> "enter " + text(enter.lineage());
            case VoterTask.Found found -> "found " + text(found.view());
            case VoterTask.Learn learn -> "learn " + text(learn.view());
            case VoterTask.Promise(View view, Ballot ballot) ->
                "promise " + text(view.lineage()) + " e" + view.epoch() + " ballot " + ballot.round() + "@"
                        + names.apply(ballot.proposer());
            case VoterTask.Accept accept -> "accept ballot " + accept.ballot().round() + " " + text(accept.next());
            case VoterTask.Retain _ -> "retain";
        };
    }

    private String text(Lineage lineage) {
        return names.apply(lineage.founder()) + "#" + lineage.incarnation() + "." + lineage.counter()
                + (lineage.continued() ? "c" : "");
    }

    public String text(Message message) {
        return switch (message) {
            case Message.Heartbeat beat -> "heartbeat " + beat.beat().sequence();
            case Message.Prepare(View view, var ballot) ->
                "prepare " + text(view.lineage()) + " e" + view.epoch() + " ballot " + ballot.round();
            case Message.Promise promise ->
                "promise e" + promise.epoch() + " ballot " + promise.ballot().round() + "@"
                        + names.apply(promise.ballot().proposer())
                        + promise.accepted()
                                .map(accepted -> ", accepted " + text(accepted.view()))
                                .orElse("");
            case Message.Here here ->
                "here e" + here.epoch() + " ballot " + here.ballot().round() + "@"
                        + names.apply(here.ballot().proposer())
                        + (here.status().isPresent() ? " with status" : " without status");
            case Message.Gone gone -> "gone e" + gone.epoch();
            case Message.Accept accept -> "accept ballot " + accept.ballot().round() + " " + text(accept.next());
            case Message.Accepted accepted ->
                "accepted e" + accepted.epoch() + " ballot " + accepted.ballot().round();
            case Message.Refuse refuse ->
                "refuse e" + refuse.epoch() + ", promised " + refuse.promised().round() + "@"
                        + names.apply(refuse.promised().proposer());
            case Message.Commit(View view) -> "commit " + text(view);
            case Message.Join join -> "join " + text(join.lineage());
            case Message.NotYet notYet -> "not yet: " + notYet.reason();
            case Message.Leave leave -> "leave " + text(leave.lineage());
        };
    }
}
