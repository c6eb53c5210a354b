package io.hearth.collective.group;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map from a few numbers to values, by rising number. A change copies the few entries into a new map. A change without effect
 * returns the same object, so states can share it at no cost.
 *
 * @param <T> immutable
 */
public final class ByNumber<T> {
    private static final ByNumber<?> NONE = new ByNumber<>(new long[0], new Object[0]);

    private final long[] numbers;
    private final Object[] values;

    private ByNumber(long[] numbers, Object[] values) {
        this.numbers = numbers;
        this.values = values;
    }

    /** A new value for each entry. */
    interface Change<T> {
        /** The same object, or a new value for that number. */
        T of(long number, T value);
    }

    /** The empty map. */
    @SuppressWarnings("unchecked") // the empty map has no value of any type
    public static <T> ByNumber<T> none() {
        return (ByNumber<T>) NONE;
    }

    public boolean isEmpty() {
        return numbers.length == 0;
    }

    public int size() {
        return numbers.length;
    }

    public boolean has(long number) {
        return Arrays.binarySearch(numbers, number) >= 0;
    }

    /** The value of a number; {@code null} if it has none. */
    public @Nullable T get(long number) {
        int place = Arrays.binarySearch(numbers, number);
        return place < 0 ? null : value(place);
    }

    /** The value of the least number; {@code null} if the map is empty. */
    @Nullable
    T first() {
        return isEmpty() ? null : value(0);
    }

    /** The number at that place, from 0. */
    public long number(int place) {
        return numbers[place];
    }

    /** All numbers, rising. */
    public List<Long> numbers() {
        return Arrays.stream(numbers).boxed().toList();
    }

    /** All values, by rising number. */
    @SuppressWarnings("unchecked") // the map holds only values of this type
    public List<T> values() {
        return (List<T>) List.of(values);
    }

    /** A map with that value for that number. */
    ByNumber<T> with(long number, T value) {
        int found = Arrays.binarySearch(numbers, number);
        if (found >= 0) {
            Object[] changed = values.clone();
            changed[found] = value;
            return new ByNumber<>(numbers, changed);
        }
        int place = -found - 1;
        long[] more = Arrays.copyOf(numbers, numbers.length + 1);
        Object[] longer = Arrays.copyOf(values, values.length + 1);
        System.arraycopy(numbers, place, more, place + 1, numbers.length - place);
        System.arraycopy(values, place, longer, place + 1, values.length - place);
        more[place] = number;
        longer[place] = value;
        return new ByNumber<>(more, longer);
    }

    /** A map without that number. */
    ByNumber<T> without(long number) {
        int place = Arrays.binarySearch(numbers, number);
        if (place < 0) {
            return this;
        }
        if (numbers.length == 1) {
            return none();
        }
        long[] fewer = Arrays.copyOf(numbers, numbers.length - 1);
        Object[] shorter = Arrays.copyOf(values, values.length - 1);
        System.arraycopy(numbers, place + 1, fewer, place, fewer.length - place);
        System.arraycopy(values, place + 1, shorter, place, shorter.length - place);
        return new ByNumber<>(fewer, shorter);
    }

    /** A map without the numbers up to this one. */
    public ByNumber<T> after(long upTo) {
        int from = 0;
        while (from < numbers.length && numbers[from] <= upTo) {
            from++;
        }
        if (from == 0) {
            return this;
        }
        return from == numbers.length
                ? none()
                : new ByNumber<>(
                        Arrays.copyOfRange(numbers, from, numbers.length),
                        Arrays.copyOfRange(values, from, values.length));
    }

    /** A map with each value replaced by that of {@code change}. */
    ByNumber<T> each(Change<T> change) {
        Object[] changed = values;
        for (int place = 0; place < numbers.length; place++) {
            T before = value(place);
            T now = change.of(numbers[place], before);
            if (!isSame(now, before)) {
                changed = isSame(changed, values) ? values.clone() : changed;
                changed[place] = now;
            }
        }
        return isSame(changed, values) ? this : new ByNumber<>(numbers, changed);
    }

    /** Compares identity: an equal value could be kept as well, but the comparison costs more than a copy. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(Object one, Object other) {
        return one == other;
    }

    /** The value of the number at that place, from 0. */
    public T at(int place) {
        return value(place);
    }

    @SuppressWarnings("unchecked") // the map holds only values of this type
    private T value(int place) {
        return (T) values[place];
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof ByNumber<?> same
                        && Arrays.equals(numbers, same.numbers)
                        && Arrays.equals(values, same.values));
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(numbers) + Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        var text = new StringBuilder("{");
        for (int place = 0; place < numbers.length; place++) {
            text.append(place == 0 ? "" : ", ")
                    .append(numbers[place])
                    .append('=')
                    .append(values[place]);
        }
        return text.append('}').toString();
    }
}
