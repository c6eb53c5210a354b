package io.hearth.simulation;

/** Steps that begin wrongly: one class for each {@link Plant} of that kind. */
final class StepSabotages {
    private StepSabotages() {}

    record NoHold() implements Sabotage {
        @Override
        public boolean holds() {
            return false;
        }
    }

    record NoTakeOver() implements Sabotage {
        @Override
        public boolean takesStateOver() {
            return false;
        }
    }

    record NoHolders() implements Sabotage {
        @Override
        public boolean waitsForHolders() {
            return false;
        }
    }

    record JoinersVote() implements Sabotage {
        @Override
        public boolean leavesTheVoteToMembers() {
            return false;
        }
    }

    record OwnNumber() implements Sabotage {
        @Override
        public boolean renumbers() {
            return false;
        }
    }
}
