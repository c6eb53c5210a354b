// Reference counts and autorelease pools. A released object stays as a tombstone, so that a later use is noticed.
#include "fake.h"

extern std::atomic<long> live_objects;

static thread_local std::vector<std::vector<Object*>*> pools;

void retain(Object* object) {
    object->references++;
}

void release(Object* object) {
    if (object->dead) {
        violation("released too often: " + object->isa->name);
        return;
    }
    if (--object->references == 0) {
        if (object->destroy) {
            object->destroy(object);
        }
        object->dead = true;
        live_objects--;
    }
}

Object* autoreleased(Object* object) {
    if (pools.empty()) {
        violation("autoreleased without a pool: " + object->isa->name);
        return object;
    }
    pools.back()->push_back(object);
    return object;
}

extern "C" void* objc_autoreleasePoolPush() {
    pools.push_back(new std::vector<Object*>());
    count("pools");
    return pools.back();
}

extern "C" void objc_autoreleasePoolPop(void* pool) {
    if (pools.empty() || pools.back() != pool) {
        violation("a pool popped by another thread or out of turn");
        return;
    }
    std::vector<Object*>* last = pools.back();
    pools.pop_back();
    for (Object* object : *last) {
        release(object);
    }
    delete last;
    count("popped");
}
