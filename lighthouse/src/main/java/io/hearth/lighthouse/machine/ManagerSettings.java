package io.hearth.lighthouse.machine;

/**
 * Settings of the manager of one replica group.
 *
 * @param replicaId of the group
 * @param worldSize its ranks, at least 1
 * @param retries of a call to the lighthouse that failed
 */
public record ManagerSettings(String replicaId, int worldSize, int retries) {
    public ManagerSettings {
        if (worldSize < 1 || retries < 0) {
            throw new IllegalArgumentException("at least 1 rank and 0 retries, got " + worldSize + " and " + retries);
        }
    }
}
