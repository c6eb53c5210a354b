package io.hearth.accel.metal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ConfidenceTest {
    @ParameterizedTest
    @EnumSource
    void aLastingFaultIsTheEndAndAnotherAPause(MetalFault fault) {
        Confidence after = Confidence.FULL.afterFault(fault);
        assertFalse(after.asks());
        assertEquals(fault.lasting(), after.lost());
        for (int i = 0; i < Confidence.FIRST_SKIP; i++) {
            assertFalse(after.asks());
            after = after.afterSkip();
        }
        assertEquals(!fault.lasting(), after.asks());
    }

    @Test
    void thePauseDoublesUntilTheGpuIsGivenUp() {
        Confidence confidence = Confidence.FULL;
        for (int fault = 1; fault < Confidence.FAULTS_MAX; fault++) {
            confidence = confidence.afterFault(MetalFault.COMMAND);
            assertEquals(Confidence.FIRST_SKIP << (fault - 1), confidence.callsToSkip());
            assertFalse(confidence.lost());
        }
        assertTrue(confidence.afterFault(MetalFault.COMMAND).lost());
    }

    @Test
    void aSuccessForgivesButDoesNotUndoALoss() {
        assertEquals(
                Confidence.FULL,
                Confidence.FULL.afterFault(MetalFault.OUT_OF_MEMORY).afterSuccess());
        assertTrue(Confidence.FULL.afterFault(MetalFault.HANG).afterSuccess().lost());
    }
}
