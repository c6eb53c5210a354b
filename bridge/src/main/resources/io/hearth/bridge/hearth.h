/*
 * Hearth for programs that are not written in Java: the C ABI, number 1.
 *
 * Hearth is a Java library. A program starts a JVM (JDK 25 or newer) in its own process, once, and asks it for this table:
 *
 *     1. dlopen lib/server/libjvm.so (macOS: libjvm.dylib) of the JDK; call JNI_CreateJavaVM with the options
 *            -Djava.class.path=<all jars of Hearth, separated by ':'>
 *            --enable-native-access=ALL-UNNAMED
 *            --add-modules=jdk.incubator.vector     faster sums; leave it out if the JDK has no such module
 *            -Xrs                                   leaves SIGINT, SIGTERM and SIGHUP to the program
 *     2. class = FindClass("io/hearth/bridge/Bridge"), method = GetStaticMethodID(class, "table", "()J"),
 *        table = (const struct hearth_api *) CallStaticLongMethod(class, method).
 *
 * The table is valid as long as the process. Any thread may call its functions, except in a child after fork(): a child has none of the
 * JVM's threads. It should close the sockets that it inherited, which would hold the parent's connections open: those of TCP whose option
 * TCP_KEEPINTVL is 71, and local ones whose path ends in /data-, twelve hexadecimal digits, and .sock. What may take a while only begins, and
 * returns a call, which wait() ends. wait() must end each call, also one whose result is not needed: at most 4096 are open at a time. One
 * more is refused with HEARTH_WRONG_STATE, and does not begin.
 *
 *     int64_t call = api->all_reduce(group, values, values, bytes, HEARTH_FLOAT32, HEARTH_SUM, NULL, NULL);
 *     int64_t ranks;
 *     while ((ranks = api->wait(call, 50, NULL)) == HEARTH_NOT_YET) {
 *         // look for signals
 *     }
 *     if (ranks < 0) { // api->last_error(text, sizeof text) says what happened and what to do }
 *
 * Results: 0 or more is the answer, less than 0 an error (below). The text of an error belongs to the thread that got it, until its next one.
 * Texts to Hearth end with a zero byte and are UTF-8. Texts from Hearth are written without a zero byte, as far as the buffer takes them;
 * the function returns the bytes of the whole text.
 *
 * Buffers hold a whole number of elements, little-endian. They belong to the call from its beginning until wait() has returned something
 * other than HEARTH_NOT_YET: do not free, move, read or write them before. Collectives run one after the other, in the order in which
 * they were begun, and all ranks begin the same ones in the same order. At most 64 collectives of a group and its subgroups may be open; one
 * more waits inside its function until the first has ended. This is the only function that blocks: a program that must react to signals waits
 * for the first one before it begins the 65th.
 *
 * If a machine is lost, the others repeat the collective without it and go on; wait() tells how many ranks are in the result.
 */
#ifndef HEARTH_H
#define HEARTH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEARTH_ABI 1

/* Errors. A number never changes its meaning; treat an unknown one as HEARTH_FAILED. Of some, begin_step() takes this rank back into its
 * group: those marked with (s). */
enum {
    HEARTH_FAILED = -1,             /* see the text */
    HEARTH_COLLECTIVE = -2,         /* a collective has no result; its buffers are as they were */
    HEARTH_MISMATCH = -3,           /* the ranks made different calls; the text names them; thrown on all ranks */
    HEARTH_DEADLINE_EXCEEDED = -4,  /* (s) */
    HEARTH_LEFT_GROUP = -5,         /* (s) this rank left its group */
    HEARTH_LINEAGE_LOST = -6,       /* (s) the cluster went on without this rank */
    HEARTH_MALFORMED = -7,          /* saved bytes or a message cannot be read */
    HEARTH_NOT_ENOUGH_PEERS = -8,   /* the text says who was found */
    HEARTH_NOT_ENOUGH_RANKS = -9,   /* (s) fewer ranks than the group needs */
    HEARTH_PEER_LOST = -10,         /* on_loss=fail-fast, the root of a broadcast, or the other end of a transfer */
    HEARTH_REMOVED = -11,           /* (s) the others removed this rank */
    HEARTH_SETUP = -12,             /* something on this machine is missing or wrong, such as the secret */
    HEARTH_STATE_SYNC = -13,        /* (s) the shared state did not arrive */
    HEARTH_NON_FINITE = -14,        /* a compressed gradient was infinite or no number */
    HEARTH_INVALID_ARGUMENT = -64,
    HEARTH_WRONG_STATE = -65,       /* such as a second call at a time, or a group that has not started */
    HEARTH_INTERRUPTED = -66,       /* the group was ended meanwhile */
    HEARTH_OUT_OF_MEMORY = -67,
    HEARTH_INTERNAL = -68,          /* a bug of Hearth; the log has more */
    HEARTH_NOT_YET = -128           /* not an error: the call has not ended */
};

/* Types of elements. */
enum {
    HEARTH_FLOAT32 = 0,
    HEARTH_FLOAT64 = 1,
    HEARTH_FLOAT16 = 2,
    HEARTH_BFLOAT16 = 3,
    HEARTH_INT32 = 4,
    HEARTH_INT64 = 5,
    HEARTH_INT8 = 6,
    HEARTH_UINT8 = 7
};

/* Reductions. HEARTH_AVG divides by the ranks in the result; integers wrap and are truncated. */
enum { HEARTH_SUM = 0, HEARTH_AVG = 1, HEARTH_MIN = 2, HEARTH_MAX = 3, HEARTH_PROD = 4 };

/* How something ended. */
struct hearth_outcome {
    int64_t answer;     /* as wait() returns it; of an error, the other fields are 0 */
    int64_t bytes_sent; /* by this rank; 0 if it is no collective */
    int64_t first;      /* first element of this rank's part of the result; of a step, 1 if the shared state was replaced, else 0 */
    int64_t count;      /* elements of that part */
};

typedef void (*hearth_log_function)(void *user, int64_t level, const char *logger, const char *text);

struct hearth_api {
    int64_t abi;       /* HEARTH_ABI; another number is another table */
    int64_t functions; /* how many follow; later versions add some at the end */

    /* ---- for all ---- */

    /* Text of this thread's last error. */
    int64_t (*last_error)(char *text, int64_t capacity);

    /* Version of Hearth. */
    int64_t (*library_version)(char *text, int64_t capacity);

    /* Sets the function that gets log lines from `level` on (10 debug, 20 info, 30 warning, 40 error), one at a time, on a thread of
     * Hearth's that does nothing else; NULL ends that, and when it has returned the former function is not called any more. At first, and
     * with NULL, lines from `level` on, warnings at least, go to standard error. */
    int64_t (*on_log)(int64_t level, hearth_log_function function, void *user);

    /* Waits up to `millis` for the end of a call. Returns its answer, an error, or HEARTH_NOT_YET; in the first two cases the call does not
     * exist any more, and `outcome`, which may be NULL, holds the answer or error too. */
    int64_t (*wait)(int64_t call, int64_t millis, struct hearth_outcome *outcome);

    /* 1 if a call has ended and wait() would return at once, else 0. */
    int64_t (*is_done)(int64_t call);

    /* ---- a trainer and its group ---- */

    /* Begins to start a trainer. `settings` are lines key=value, at most 64 KiB; the keys are home, namespace, open, label, group, port,
     * interfaces, exclude_interfaces, peers, compression, engine, transport, health, on_partition, on_loss, ranks, deadline and
     * state_budget, with the values of the command line. Answer: the group. */
    int64_t (*open)(const char *settings);

    /* Begins to wait for other trainers of the group. Answer: how many there are, `peers` or more; else HEARTH_NOT_ENOUGH_PEERS. */
    int64_t (*wait_for_peers)(int64_t group, int64_t peers, int64_t millis);

    /* Begins the group with `least` ranks or more: waits until all its trainers do so. Answer: number of ranks; 0 if the group is at work
     * and this trainer enters by begin_step(). HEARTH_NOT_ENOUGH_PEERS if that takes longer than `millis`, 1 or more. */
    int64_t (*start)(int64_t group, int64_t least, int64_t millis);

    /* Begins to leave in order; the group does not exist any more, except for the call. Open calls end with an error. Takes up to 16 s if
     * the others do not answer. */
    int64_t (*close)(int64_t group);

    /* Ends the group at once; open calls end with an error, and the other ranks find this one lost. */
    int64_t (*abort)(int64_t group);

    /* Rank and number of ranks. They change when a call ends, not between two calls. */
    int64_t (*rank)(int64_t group);
    int64_t (*world_size)(int64_t group);

    /* 1 if this trainer is a member; 0 before it enters by begin_step(). */
    int64_t (*is_in_group)(int64_t group);

    /* What the node sees, in JSON, as the agent's local API answers /v1/status, with group, rank and world_size. */
    int64_t (*status)(int64_t group, char *text, int64_t capacity);

    /* Whom the node has found, and whom not and why, in one line. */
    int64_t (*progress)(int64_t group, char *text, int64_t capacity);

    /* Bytes sent by all calls so far; with `dense` other than 0 those that the all-reduces would have sent without compression. */
    int64_t (*sent_bytes)(int64_t group, int64_t dense);

    /* Tells the agent of this machine, for its page, how the training gets on; `steps` is 0 if not known. */
    int64_t (*report)(int64_t group, int64_t step, int64_t steps, double loss);

    /* ---- collectives: each begins; the answer is the number of ranks in the result ----
     *
     * `root` is a rank of the moment in which the call begins. If that rank is lost before, the call ends with HEARTH_PEER_LOST. */

    /* Combines the values of all ranks. `output` may be `input`. `codec` (NULL: that of the settings) such as "topk:0.01"; `name` (NULL:
     * none) tells tensors of one size apart for error feedback. */
    int64_t (*all_reduce)(int64_t group, const void *input, void *output, int64_t bytes, int64_t type, int64_t op, const char *codec,
                          const char *name);

    /* Replaces the values of all ranks by those of `root`. */
    int64_t (*broadcast)(int64_t group, void *values, int64_t bytes, int64_t type, int64_t root);

    /* Gives every rank the blocks of all ranks, in rank order; `bytes` is block_bytes * world_size or more. */
    int64_t (*all_gather)(int64_t group, const void *block, int64_t block_bytes, void *gathered, int64_t bytes, int64_t type);

    /* The same for blocks of different lengths, one behind the other; `counts`, of world_size numbers, gets the elements of each. */
    int64_t (*all_gather_unequal)(int64_t group, const void *block, int64_t block_bytes, void *gathered, int64_t bytes, int64_t *counts,
                                  int64_t type);

    /* Combines the values of all ranks; this rank's share, in place, is what the outcome's first and count say. */
    int64_t (*reduce_scatter)(int64_t group, void *values, int64_t bytes, int64_t type, int64_t op);

    /* Combines the values of all ranks at `root`, in place; unchanged elsewhere. */
    int64_t (*reduce)(int64_t group, void *values, int64_t bytes, int64_t type, int64_t op, int64_t root);

    /* Gives `root` the blocks of all ranks; `bytes` counts only there. */
    int64_t (*gather)(int64_t group, const void *block, int64_t block_bytes, void *gathered, int64_t bytes, int64_t type, int64_t root);

    /* Gives each rank its block of the root's values; `bytes` counts only there. */
    int64_t (*scatter)(int64_t group, const void *blocks, int64_t bytes, void *block, int64_t block_bytes, int64_t type, int64_t root);

    /* Gives rank r block r, of `count` elements, of each rank's values. */
    int64_t (*all_to_all)(int64_t group, const void *blocks, void *received, int64_t bytes, int64_t count, int64_t type);

    /* Ends when all ranks have called it. */
    int64_t (*barrier)(int64_t group);

    /* Sends values to one rank, which receives them; the transfers of a pair arrive in order, beside all collectives. The rank is that of
     * now: the transfer keeps its node when a loss gives that node another rank. Answer: 0. */
    int64_t (*send)(int64_t group, const void *values, int64_t bytes, int64_t type, int64_t to);
    int64_t (*receive)(int64_t group, void *values, int64_t bytes, int64_t type, int64_t from);

    /* ---- what all ranks keep alike, so that trainers can enter in the middle ---- */

    /* Shares `count` buffers under a name of 1 to 63 characters: `pairs` holds an address and a number of bytes for each. A name that is
     * shared already gets these buffers in place of its former ones; call it before a step if they were moved. Those of the beginning of a
     * begin_step() must stay there until it has ended. */
    int64_t (*share)(int64_t group, const char *name, const int64_t *pairs, int64_t count);
    int64_t (*unshare)(int64_t group, const char *name);

    /* Shares a state of variable length, at most bytes_max (up to 2^30): set it before a step, get it after one that replaced the state. */
    int64_t (*share_blob)(int64_t group, const char *name, int64_t bytes_max);
    int64_t (*set_blob)(int64_t group, const char *name, const void *bytes, int64_t length);
    int64_t (*get_blob)(int64_t group, const char *name, void *bytes, int64_t capacity);

    /* Declares what is shared to be the state after `step` steps, before the first one begins. */
    int64_t (*resume_at)(int64_t group, int64_t step);

    /* Begins a step, on all ranks together: trainers enter, and all hold the same shared state. Answer: the number of the step. */
    int64_t (*begin_step)(int64_t group);

    /* ---- subgroups ---- */

    /* Begins to make a subgroup of `count` ranks of a group, at most 32 at a time. Its members call this with the same list at the same
     * place among their calls; the other ranks may. Wait for its end before the next call. Answer: a group for all functions but those of
     * the state; 0 if this rank is not in the list. Ranks in it are places in the list. The calls of a group and of its subgroups run in
     * one order, which is the same on all ranks that they have in common; else they end with HEARTH_MISMATCH, or, in a circle of three
     * groups and more, at their deadline. close() and abort() end it for this rank and leave the trainer as it is: a call that runs goes
     * on, those behind it end with an error. A closed one counts among the 32 until a later call of the whole group has ended. */
    int64_t (*split)(int64_t group, const int64_t *ranks, int64_t count);
};

#ifdef __cplusplus
}
#endif

#endif
