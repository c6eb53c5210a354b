package io.hearth.election;

/**
 * This node's seat among the voters of one lineage.
 *
 * @param record as on disk
 * @param idleNanos since when it is neither home nor target nor asked
 */
record Seat(LineageRecord record, long idleNanos) {}
