package io.hearth.simulation.trainer;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.collective.group.GroupLayout;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.setting.WorldSetting;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.PlanCosts;
import io.hearth.topology.plan.PlanEncoding;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The plans of one trainer: the one that its numbers follow, and the one that it proposes if it leads its group. Planning takes a while, so
 * a plan may be for a group that is over; some are for another number of ranks or no plans at all.
 */
final class Plans {
    private static final int PLANS_ONE_IN = 3;
    private static final int WRONG_ONE_IN = 4;
    private static final int LOST_ONE_IN = 8;
    private static final long PLANNING_NANOS_MAX = 400 * MILLI;
    private static final long LAST_NANOS_MAX = 5 * MILLI;
    private static final int WRONG_BYTES_MAX = 40;

    private final ProcessContext process;
    private final WorldSetting setting;
    private final Trainer trainer;
    private Plan present = Plan.NONE;
    private Proposal proposal = new Proposal("", Bytes.EMPTY);

    /** A plan in its wire form, for the members of a group epoch. */
    private record Proposal(String fence, Bytes plan) {}

    Plans(ProcessContext process, Trainer trainer) {
        this.process = process;
        this.setting = process.setting();
        this.trainer = trainer;
    }

    private GroupLayout layout() {
        return trainer.state().layout();
    }

    /** The group epoch changed. */
    void enter() {
        process.surroundings().results().planned(process, layout().fence(), layout().plan());
        if (setting.hooks.keeps(ShellRule.PLAN_ENDS)) {
            present = layout().plan();
        }
    }

    /** The plan of the layout changed. */
    void replan() {
        present = layout().plan();
        process.trace(() -> "follows the plan " + present);
    }

    /** A number runs. Its lead may begin to plan. */
    void plays(long number) {
        process.surroundings().results().plays(process, layout().fence(), number, present);
        boolean isLead =
                layout().members().size() > 1 && layout().members().getFirst().equals(process.id());
        if (setting.hasPlans && isLead && setting.plans.nextInt(PLANS_ONE_IN) == 0) {
            GroupLayout planned = layout();
            setting.after(setting.plans.nextLong(PLANNING_NANOS_MAX), () -> process.deliver(() -> propose(planned)));
        }
    }

    private void propose(GroupLayout planned) {
        int world = planned.members().size();
        int kind = setting.plans.nextInt(2 * WRONG_ONE_IN);
        if (kind == 0) {
            byte[] wrong = new byte[1 + setting.plans.nextInt(WRONG_BYTES_MAX)]; // begins with version 0
            setting.plans.nextBytes(wrong);
            wrong[0] = 0;
            proposal = new Proposal(planned.fence(), Bytes.of(wrong));
            return;
        }
        Plan plan = draw(kind == 1 ? world + 1 : world);
        proposal = new Proposal(planned.fence(), Bytes.of(PlanEncoding.encode(plan)));
        process.surroundings().results().planned(process, planned.fence(), plan);
        process.trace(() -> "proposes the plan " + plan);
        if (!setting.hooks.keeps(ShellRule.PLAN_AGREED) && planned.fence().equals(layout().fence())) {
            present = plan;
        }
    }

    /** A plan that no other draw gives: its shares are random. */
    private Plan draw(int world) {
        List<Integer> order = IntStream.range(0, world).boxed().collect(Collectors.toList());
        for (int place = world - 1; place > 0; place--) {
            Collections.swap(order, place, 1 + setting.plans.nextInt(place)); // rank 0 stays first
        }
        var weights = new ArrayList<>(Collections.nCopies(world, 0));
        int left = Plan.WEIGHTS_SUM;
        for (int rank = 1; rank < world; rank++) {
            int share = setting.plans.nextInt(left + 1);
            weights.set(rank, share);
            left -= share;
        }
        weights.set(0, left);
        return new Plan(order, weights, List.of(), PlanCosts.UNKNOWN);
    }

    /** What this member proposes now, in the wire form; empty if it does not lead the group or has no plan for it. */
    Bytes proposal() {
        boolean isOurs = proposal.fence().equals(layout().fence()) || !setting.hooks.keeps(ShellRule.PLAN_FENCE);
        return isOurs
                        && layout().members().size() > 1
                        && layout().members().getFirst().equals(process.id())
                ? proposal.plan()
                : Bytes.EMPTY;
    }

    /** This member sent its part of an exchange of a plan; a lead may be lost right after it. */
    void sent(Bytes plan) {
        boolean isLost = !plan.equals(Bytes.EMPTY)
                && setting.isFaulty()
                && setting.profile.has(FaultKind.KILL)
                && setting.plans.nextInt(LOST_ONE_IN) == 0;
        if (isLost) {
            setting.statistics.fault(FaultKind.KILL);
            setting.after(
                    setting.plans.nextLong(LAST_NANOS_MAX),
                    () -> process.surroundings().exit(process));
        }
    }

    /** The plan of a lead's bytes; empty if they are none. */
    static Optional<Plan> read(Bytes bytes) {
        try {
            return Optional.of(PlanEncoding.decode(bytes.toArray()));
        } catch (MalformedMessageException unreadable) {
            return Optional.empty();
        }
    }
}
