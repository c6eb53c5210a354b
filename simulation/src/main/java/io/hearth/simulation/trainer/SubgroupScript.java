package io.hearth.simulation.trainer;

import io.hearth.collective.group.GroupDecision;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.Resolution;
import io.hearth.collective.group.Status;
import io.hearth.collective.group.StatusReport;
import io.hearth.collective.group.SubgroupId;
import io.hearth.election.Member;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The subgroups of one trainer's application. Every few numbers of its group it makes one of every other rank, and before each number of the
 * group it calls a sum there. So all members make the same calls in one order, as scripts with two kinds of parallelism do.
 */
final class SubgroupScript {
    private static final int SPLIT_EVERY = 7;

    private final ProcessContext process;
    private final WorldSetting setting;
    private final Trainer trainer;
    private final Map<SubgroupId, PlayedSubgroup> kept = new TreeMap<>();
    private final Map<List<Member>, Integer> made = new HashMap<>();
    private final Map<NodeId, Member> known = new HashMap<>();
    private List<GroupFrame> early = new ArrayList<>();
    private @Nullable PlayedSubgroup newest;
    private @Nullable PlayedSubgroup retired; // until the next number of the group has ended
    private GroupMachine.@Nullable Frozen frozen;
    private GroupDecision decision = new GroupDecision(Resolution.NOTHING);
    private boolean isCalling; // a call may end at once
    private long served; // the number of the group before which it called last

    SubgroupScript(ProcessContext process, Trainer trainer) {
        this.process = process;
        this.setting = process.setting();
        this.trainer = trainer;
    }

    /** Makes its call before that number of the group; returns whether the number has to wait for it. */
    boolean callsBefore(long number) {
        if (!setting.hasSubgroups || number == 1) {
            return false;
        }
        if (newest != null && newest.isOpen()) {
            return true;
        }
        if (served == number) {
            return false;
        }
        served = number;
        if (number % SPLIT_EVERY == 0) {
            split(number);
        }
        PlayedSubgroup subgroup = newest;
        if (subgroup == null) {
            return false;
        }
        isCalling = true;
        subgroup.call();
        isCalling = false;
        long call = subgroup.calls();
        setting.after(
                setting.deadlineNanos(),
                () -> process.deliver(() -> {
                    if (subgroup.isOpen()
                            && subgroup.calls() == call
                            && kept.containsKey(subgroup.id())
                            && !trainer.script().isOver()
                            && setting.hasDeadlines()) {
                        trainer.script().giveUp("a deadline passed in a subgroup");
                    }
                }));
        return subgroup.isOpen();
    }

    private void split(long number) {
        View view = trainer.view().orElseThrow();
        List<NodeId> ranks = trainer.state().ranks();
        var half = new ArrayList<NodeId>();
        for (int rank = ranks.indexOf(process.id()) % 2; rank < ranks.size(); rank += 2) {
            half.add((number / SPLIT_EVERY) % 2 == 0 ? half.size() : 0, ranks.get(rank));
        }
        if (retired != null) {
            kept.remove(retired.id());
        }
        retired = newest;
        List<Member> listed = half.stream().map(known::get).toList();
        String lineage = WorldSetting.text(view.lineage());
        SubgroupId id = SubgroupId.of(lineage, listed, made.merge(listed, 1, Integer::sum) - 1);
        var subgroup = new PlayedSubgroup(id, half, lineage, process, trainer);
        newest = subgroup;
        kept.put(id, subgroup);
        if (frozen != null) {
            subgroup.freeze(frozen);
        }
        install(subgroup, view);
        List<GroupFrame> waiting = early;
        early = new ArrayList<>();
        waiting.forEach(this::receive);
    }

    /** A call ended; the script goes on. */
    void ended() {
        if (!isCalling) {
            trainer.script().callLater();
        }
    }

    StatusReport freeze(Status group, GroupMachine.Frozen view) {
        frozen = view;
        var reports = new TreeMap<SubgroupId, Status>();
        Optional<String> broken = group.broken();
        for (PlayedSubgroup subgroup : kept.values()) {
            Status status = subgroup.freeze(view);
            broken = broken.or(status::broken);
            reports.put(subgroup.id(), status.brief());
        }
        return setting.hooks.keeps(ShellRule.SUBGROUP_REPORT)
                ? new StatusReport(group.broken(broken), reports)
                : new StatusReport(group.broken(broken));
    }

    void install(View view, GroupDecision decided) {
        decision = decided;
        view.group(process.host().group).forEach(member -> known.put(member.node(), member));
        if (frozen != null
                && new GroupMachine.Frozen(WorldSetting.text(view.lineage()), view.epoch()).succeeds(frozen)) {
            frozen = null;
        }
        for (PlayedSubgroup subgroup : List.copyOf(kept.values())) {
            install(subgroup, view);
        }
    }

    private void install(PlayedSubgroup subgroup, View view) {
        String lineage = WorldSetting.text(view.lineage());
        long groupEpoch = view.groupView(process.host().group).orElseThrow().epoch();
        if (!subgroup.install(view, lineage, lineage + "/" + groupEpoch, decision)) {
            kept.remove(subgroup.id());
            newest = subgroup.equals(newest) ? null : newest;
        }
    }

    void streamBroken(NodeId peer, String why) {
        kept.values().forEach(subgroup -> subgroup.streamBroken(peer, why));
    }

    /** Whether a frame belongs to a subgroup. */
    static boolean isFor(GroupFrame frame) {
        return frame.fence().indexOf(':') >= 0;
    }

    void receive(GroupFrame frame) {
        String id = frame.fence().substring(frame.fence().lastIndexOf(':') + 1);
        PlayedSubgroup subgroup = kept.get(new SubgroupId(id));
        if (subgroup == null) {
            early.add(frame);
        } else {
            subgroup.receive(frame);
        }
    }

    /** The trainer is out of its group: its subgroups end for good. */
    void end() {
        kept.clear();
        early.clear();
        newest = null;
        retired = null;
        served = 0;
        made.clear(); // it comes back as another member
    }
}
