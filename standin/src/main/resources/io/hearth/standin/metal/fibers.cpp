// Threads of one threadgroup as fibers, so that barriers take effect: each lane in turn runs until its next barrier.
#include "fake.h"
#include <ucontext.h>

static constexpr size_t STACK_BYTES = 32 * 1024;

struct Lane {
    ucontext_t context;
    std::vector<char> stack = std::vector<char>(STACK_BYTES);
    uint32_t barriers = 0;
    bool done = false;
};

struct Group {
    ucontext_t scheduler;
    std::vector<Lane> lanes;
    uint32_t running = 0;
    Function* function;
    void* const* arguments;
    uint32_t index;
};

static thread_local Group* current = nullptr;

extern "C" void fake_barrier(bool fences) {
    if (!fences) {
        violation("a barrier without mem_threadgroup: what threads wrote need not be seen behind it");
    }
    Lane& lane = current->lanes[current->running];
    lane.barriers++;
    swapcontext(&lane.context, &current->scheduler);
}

static void enter() {
    Group* group = current;
    Lane& lane = group->lanes[group->running];
    group->function->lane(group->arguments, group->index, group->running, group->lanes.size());
    lane.done = true;
    swapcontext(&lane.context, &group->scheduler);
}

static bool turn(Group& group, bool backward) {
    bool open = false;
    uint32_t count = group.lanes.size();
    for (uint32_t i = 0; i < count; i++) {
        group.running = backward ? count - 1 - i : i;
        Lane& lane = group.lanes[group.running];
        if (!lane.done) {
            swapcontext(&group.scheduler, &lane.context);
        }
        open |= !lane.done;
    }
    for (Lane& lane : group.lanes) {
        if (lane.barriers != group.lanes[0].barriers) {
            violation("threads of one threadgroup passed different barriers: " + group.function->name);
            return false;
        }
    }
    return open;
}

void run_with_barriers(Function* function, void* const* arguments, uint32_t groups, uint32_t threads, bool backward) {
    Group group;
    group.lanes.resize(threads);
    group.function = function;
    group.arguments = arguments;
    current = &group;
    for (uint32_t i = 0; i < groups; i++) {
        group.index = backward ? groups - 1 - i : i;
        for (Lane& lane : group.lanes) {
            lane.done = false;
            lane.barriers = 0;
            getcontext(&lane.context);
            lane.context.uc_stack.ss_sp = lane.stack.data();
            lane.context.uc_stack.ss_size = lane.stack.size();
            lane.context.uc_link = nullptr;
            makecontext(&lane.context, enter, 0);
        }
        while (turn(group, backward)) {
        }
    }
    current = nullptr;
}
