package io.hearth.agent.group;

import io.hearth.collective.group.CollectiveMessages;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.GroupView;
import io.hearth.election.Message;
import io.hearth.election.Proposal;
import io.hearth.election.View;

/**
 * Checks the reports and resolutions of collectives, which the view change carries as opaque bytes. One that breaks a bound ends the
 * sender's link, and no node forwards it.
 */
public final class ControlData {
    private ControlData() {}

    /**
     * Checks a message before a machine gets it.
     *
     * @throws MalformedMessageException if a part of it is no report or resolution; its text names the part
     */
    public static void requireReadable(Message message) throws MalformedMessageException {
        switch (message) {
            case Message.Prepare prepare -> require(prepare.view());
            case Message.Here here -> {
                if (here.status().isPresent()) {
                    CollectiveMessages.status(here.status().get().collective());
                }
            }
            case Message.Promise promise -> {
                if (promise.accepted().isPresent()) {
                    Proposal accepted = promise.accepted().get();
                    require(accepted.view());
                }
            }
            case Message.Accept accept -> {
                require(accept.view());
                require(accept.next());
            }
            case Message.Commit commit -> require(commit.view());
            case Message.Heartbeat _,
                    Message.Accepted _,
                    Message.Gone _,
                    Message.Refuse _,
                    Message.Join _,
                    Message.NotYet _,
                    Message.Leave _ -> {}
        }
    }

    private static void require(View view) throws MalformedMessageException {
        for (GroupView group : view.groups()) {
            CollectiveMessages.resolution(group.resolution());
        }
    }
}
