package io.hearth.agent.history;

import java.util.ArrayList;
import java.util.List;

/**
 * The loss of a training over all its steps, in a bounded number of points: when they are too many, every second one goes, and from then
 * on points are taken half as often. So the whole training is always shown.
 *
 * @param points in the order of their steps; the newest is always among them
 * @param every a point is kept if its step is at least this many after the one before the newest
 */
public record LossCurve(List<Point> points, long every) {
    /** A curve without points. */
    public static final LossCurve EMPTY = new LossCurve(List.of(), 1);

    private static final int POINTS_MAX = 512;

    /** The loss after a step. */
    public record Point(long step, double loss) {}

    public LossCurve {
        points = List.copyOf(points);
    }

    /** This curve with the next point. A step that is not above the last one begins a new curve. */
    public LossCurve with(Point next) {
        if (points.isEmpty()) {
            return new LossCurve(List.of(next), every);
        }
        if (next.step() < points.getLast().step()) {
            return EMPTY.with(next);
        }
        var longer = new ArrayList<>(points);
        boolean isNewestBetween = longer.size() > 1
                && longer.getLast().step() - longer.get(longer.size() - 2).step() < every;
        if (isNewestBetween || next.step() == longer.getLast().step()) {
            longer.removeLast();
        }
        longer.add(next);
        if (longer.size() <= POINTS_MAX) {
            return new LossCurve(longer, every);
        }
        var half = new ArrayList<Point>();
        for (int i = 0; i < longer.size() - 1; i += 2) {
            half.add(longer.get(i));
        }
        half.add(longer.getLast());
        return new LossCurve(half, Math.max(1, 2 * spacing(half)));
    }

    private static long spacing(List<Point> points) {
        return Math.max(1, (points.getLast().step() - points.getFirst().step()) / (2L * points.size()));
    }
}
