package io.hearth.agent.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LossCurveTest {
    @Test
    void aLongTrainingIsShownAsAWholeInFewPoints() {
        LossCurve curve = LossCurve.EMPTY;
        for (int step = 0; step < 1_000_000; step++) {
            curve = curve.with(new LossCurve.Point(step, 1.0 / (step + 1)));
            assertTrue(curve.points().size() <= 513, "never more points");
        }
        List<LossCurve.Point> points = curve.points();
        assertTrue(points.size() > 200, () -> points.size() + " points");
        assertEquals(0, points.getFirst().step());
        assertEquals(999_999, points.getLast().step());
        long widest = 0;
        for (int i = 1; i < points.size(); i++) {
            widest = Math.max(widest, points.get(i).step() - points.get(i - 1).step());
        }
        assertTrue(widest < 1_000_000 / 100, "no part is left out, widest " + widest);
    }

    @Test
    void theNewestPointIsAlwaysThereAndAStepBackBeginsAnew() {
        LossCurve curve = LossCurve.EMPTY
                .with(new LossCurve.Point(5, 3.0))
                .with(new LossCurve.Point(6, 2.0))
                .with(new LossCurve.Point(6, 1.5));
        assertEquals(List.of(new LossCurve.Point(5, 3.0), new LossCurve.Point(6, 1.5)), curve.points());
        assertEquals(
                List.of(new LossCurve.Point(0, 9.0)),
                curve.with(new LossCurve.Point(0, 9.0)).points());
    }
}
