package io.hearth.simulation.plant;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.collective.Signature;
import io.hearth.collective.group.ByNumber;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.Resolution;
import io.hearth.collective.group.Status;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Member;
import io.hearth.election.Resolver;
import io.hearth.identity.NodeId;
import io.hearth.simulation.rule.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Collectives that go on, hold or decide wrongly: one class for each {@code PlantedBug} of that kind. */
public final class GroupBugHooks {
    private GroupBugHooks() {}

    public record Thaw() implements BugHooks {
        @Override
        public long thawNanos() {
            return SECOND;
        }
    }

    public record LateFreeze() implements BugHooks {
        @Override
        public long lateFreezeNanos() {
            return 300 * MILLI;
        }
    }

    public record SmallRetention() implements BugHooks {
        @Override
        public GroupMachine.State remembered(GroupMachine.State state) {
            if (state.kept().size() < 2) {
                return state;
            }
            ByNumber<Status.Kept> last =
                    state.kept().after(state.kept().number(state.kept().size() - 2));
            return new GroupMachine.State(
                    state.layout(),
                    state.settled(),
                    state.numbers().keeping(last),
                    state.decided(),
                    state.entry(),
                    state.frozen(),
                    state.broken());
        }
    }

    /** Changes the answers of a resolver. */
    private interface Bent extends Resolver {
        Resolver honest();

        @Override
        default Optional<String> refusal(String group, List<Report> kept) {
            return honest().refusal(group, kept);
        }

        @Override
        default Optional<String> broken(String group, List<Report> kept) {
            return honest().broken(group, kept);
        }

        @Override
        default Bytes resolve(String group, List<Member> members, List<Report> kept) {
            return honest().resolve(group, members, kept);
        }
    }

    private static Resolution read(Bytes bytes) {
        try {
            return CollectiveMessages.resolution(bytes);
        } catch (MalformedMessageException malformed) {
            throw new Violation("resolution", String.valueOf(malformed.getMessage()));
        }
    }

    public record NoForward() implements BugHooks {
        @Override
        public Resolver resolver(Resolver honest) {
            record Forgetful(Resolver honest) implements Bent {
                @Override
                public Bytes resolve(String group, List<Member> members, List<Report> kept) {
                    Resolution right = read(honest.resolve(group, members, kept));
                    return CollectiveMessages.encode(
                            new Resolution(right.first(), List.of(), right.refused(), right.plan()));
                }
            }
            return new Forgetful(honest);
        }
    }

    /** All nodes use the first decision, as if it had been part of the view. */
    public record FinalForward(Map<Long, Resolution.Forward> decided) implements BugHooks {
        public FinalForward() {
            this(new TreeMap<>());
        }

        @Override
        public Resolver resolver(Resolver honest) {
            record Stubborn(Resolver honest, Map<Long, Resolution.Forward> decided) implements Bent {
                @Override
                public Bytes resolve(String group, List<Member> members, List<Report> kept) {
                    Resolution right = read(honest.resolve(group, members, kept));
                    var forwards = new ArrayList<Resolution.Forward>();
                    for (Resolution.Forward forward : right.forwards()) {
                        decided.putIfAbsent(forward.number(), forward);
                        forwards.add(decided.getOrDefault(forward.number(), forward));
                    }
                    return CollectiveMessages.encode(
                            new Resolution(right.first(), forwards, right.refused(), right.plan()));
                }
            }
            return new Stubborn(honest, decided);
        }
    }

    public record OneReport() implements BugHooks {
        @Override
        public Resolver resolver(Resolver honest) {
            record Partial(Resolver honest) implements Bent {
                @Override
                public Bytes resolve(String group, List<Member> members, List<Report> kept) {
                    return honest.resolve(group, members, kept.subList(0, Math.min(1, kept.size())));
                }
            }
            return new Partial(honest);
        }
    }

    public record EagerReduce() implements BugHooks {
        @Override
        public boolean partWaitsForHolders(Signature signature, NodeId self) {
            return signature.kind() != Signature.Kind.REDUCE || isRoot(signature, self);
        }
    }

    public record EagerScatter() implements BugHooks {
        @Override
        public boolean partWaitsForHolders(Signature signature, NodeId self) {
            return signature.kind() != Signature.Kind.SCATTER || !isRoot(signature, self);
        }
    }

    public record EagerShare() implements BugHooks {
        @Override
        public boolean partWaitsForHolders(Signature signature, NodeId self) {
            return signature.kind() != Signature.Kind.REDUCE_SCATTER;
        }
    }

    public record FormerLayout() implements BugHooks {
        @Override
        public List<NodeId> layout(GroupMachine.State state) {
            return state.ranks();
        }
    }

    public record LostRoot() implements BugHooks {
        @Override
        public Optional<CallRejection> doom(Signature signature, Optional<CallRejection> doomed) {
            return signature.kind() == Signature.Kind.REDUCE ? Optional.empty() : doomed;
        }
    }

    private static boolean isRoot(Signature signature, NodeId node) {
        return signature.root().filter(node::equals).isPresent();
    }

    public record NewestRanks() implements BugHooks {
        @Override
        public List<NodeId> ranks(GroupMachine.State state) {
            return state.layout().members();
        }
    }

    public record MidStep() implements BugHooks {
        @Override
        public boolean admitsAtWork() {
            return true;
        }

        @Override
        public Resolver resolver(Resolver honest) {
            record Open(Resolver honest) implements Bent {
                @Override
                public Optional<String> refusal(String group, List<Report> kept) {
                    return Optional.empty();
                }
            }
            return new Open(honest);
        }
    }
}
