package io.hearth.cli.node;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class NodeReporterTest {
    @Test
    void aReasonIsToldOnceHoweverLongItLasts() {
        String stalled = "no quorum of the machines is heard for 9 s; waiting for 1a2b";
        assertTrue(NodeReporter.isNews("", stalled));
        assertFalse(NodeReporter.isNews(stalled, stalled.replace("9 s", "10 s")));
        assertFalse(
                NodeReporter.isNews("no quorum of the machines is heard; waiting for 1a2b", stalled), "first second");
        assertTrue(NodeReporter.isNews(stalled, stalled.replace("1a2b", "3c4d")));
        assertFalse(NodeReporter.isNews("removed from the cluster 1 s ago: x", "removed from the cluster 2 s ago: x"));
        assertTrue(NodeReporter.isNews("removed from the cluster 1 s ago: x", "removed from the cluster 1 s ago: y"));
        assertFalse(NodeReporter.isNews("0 peers after 3 s", "0 peers after 9 s"));
        assertFalse(NodeReporter.isNews(stalled, ""));
    }
}
