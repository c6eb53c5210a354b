package io.hearth.bench;

/** Student's t distribution, for the distance between the mean of a few samples and the true mean. */
final class StudentT {
    private static final int HALVINGS = 60; // of an interval below 2: more of them change no bit

    private StudentT() {}

    /**
     * The {@code t} such that a value of this distribution lies between {@code -t} and {@code t} with that probability.
     *
     * @param probability 0 to below 1; 0.95 for the usual interval
     * @param degrees of freedom, at least 1
     */
    static double twoSided(double probability, int degrees) {
        if (!(probability >= 0 && probability < 1) || degrees < 1) {
            throw new IllegalArgumentException(
                    "need 0 <= probability < 1 and degrees >= 1, got " + probability + " and " + degrees);
        }
        double low = 0;
        double high = Math.PI / 2;
        for (int i = 0; i < HALVINGS; i++) {
            double angle = (low + high) / 2;
            if (within(angle, degrees) < probability) {
                low = angle;
            } else {
                high = angle;
            }
        }
        return Math.sqrt(degrees) * Math.tan((low + high) / 2);
    }

    /** The probability of at most {@code sqrt(degrees) * tan(angle)} in magnitude (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
    private static double within(double angle, int degrees) {
        double cos = Math.cos(angle);
        boolean odd = degrees % 2 == 1;
        double term = odd ? cos : 1;
        double sum = 0;
        for (int power = odd ? 1 : 0; power <= degrees - 2; power += 2) {
            sum += term;
            term *= cos * cos * (power + 1) / (power + 2);
        }
        double sine = Math.sin(angle) * sum;
        return odd ? (angle + sine) * 2 / Math.PI : sine;
    }
}
