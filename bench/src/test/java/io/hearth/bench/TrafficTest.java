package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class TrafficTest {
    @Test
    void theRatioOfUploadsIsTheMeanOverNodesAndSums() {
        var traffic = new Traffic(2, 100);
        traffic.begin();
        traffic.encoded(0, 10);
        traffic.encoded(1, 30);
        traffic.begin();
        traffic.encoded(0, 15);
        traffic.encoded(0, 5);
        traffic.encoded(1, 20);
        assertEquals(4 * 400 / 80.0, traffic.uploadedRatio());
    }

    @Test
    void theBusiestPortCountsInItsBusierDirection() {
        var traffic = new Traffic(4, 100);
        traffic.begin();
        traffic.sent(0, 1, 10);
        traffic.sent(0, 2, 10);
        traffic.sent(1, 2, 25);
        traffic.sent(3, 3, 1_000);
        assertEquals(1.5 * 400 / 35, traffic.busiestLinkRatio(), 1e-12);
        traffic.sent(0, 3, 30);
        assertEquals(1.5 * 400 / 50, traffic.busiestLinkRatio(), 1e-12);
    }
}
