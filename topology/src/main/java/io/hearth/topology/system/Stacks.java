package io.hearth.topology.system;

import io.hearth.topology.InterfaceClass;
import java.util.Comparator;
import java.util.List;

/** The class of an interface that lies on top of others. */
final class Stacks {
    private Stacks() {}

    /**
     * The worst class of the hardware below, because packets may take any part of it. Without hardware, the class is that of all
     * interfaces below if they have the same, else {@link InterfaceClass#VIRTUAL}.
     */
    static InterfaceClass kind(List<InterfaceClass> below) {
        return below.stream()
                .filter(InterfaceClass::isPhysical)
                .max(Comparator.naturalOrder())
                .orElseGet(() -> below.stream().distinct().count() == 1 ? below.getFirst() : InterfaceClass.VIRTUAL);
    }
}
