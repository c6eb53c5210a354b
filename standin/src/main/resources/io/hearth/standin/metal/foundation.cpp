// NSString, NSError, NSArray, and the options of the kernel compiler.
#include "fake.h"
#include <cstring>

struct String : Object {
    std::string text;
};
struct Error : Object {
    std::string text;
    long code;
};
struct Options : Object {
    bool safe = false;
    bool precise = false;
    unsigned long language = 0;
};

Object* new_string(const std::string& text) {
    String* string = make<String>("NSString");
    string->text = text;
    return string;
}

std::string string_of(Object* string) {
    return static_cast<String*>(string)->text;
}

Object* new_error(const std::string& text, long code) {
    Error* error = make<Error>("NSError");
    error->text = text;
    error->code = code;
    return error;
}

bool safe_math(Object* object) {
    Options* options = static_cast<Options*>(object);
    if (options && options->safe && !options->precise && !control("old")) {
        violation("safe mathematics whose functions are left fast");
    }
    if (options && options->language != 3u << 16) {
        violation("the language's version is left to the compiler");
    }
    return options && options->safe;
}

static Object* string_with(Class*, Selector, const char* text) {
    return autoreleased(new_string(text));
}

static const char* characters(String* self, Selector) {
    return self->text.c_str();
}

static Object* description(Error* self, Selector) {
    return autoreleased(new_string(self->text));
}

static long code(Error* self, Selector) {
    return self->code;
}

static Object* new_options(Class*, Selector) {
    return make<Options>("MTLCompileOptions");
}

static void set_math_mode(Options* self, Selector, long mode) {
    self->safe = mode == 0;
}

static void set_fast_math(Options* self, Selector, bool fast) {
    if (!control("old")) {
        violation("setFastMathEnabled: although there is setMathMode:");
    }
    self->safe = !fast;
}

static void set_math_functions(Options* self, Selector, long functions) {
    self->precise = functions == 1;
}

static void set_language(Options* self, Selector, unsigned long version) {
    self->language = version;
}

static Object* retained(Object* self, Selector) {
    retain(self);
    return self;
}

static void released(Object* self, Selector) {
    release(self);
}

void define_runtime() {
    for (const char* type :
         {"NSString", "NSError", "FakeArray", "MTLCompileOptions", "FakeDevice", "FakeBuffer", "FakeLibrary", "FakeFunction",
          "FakePipeline", "FakeQueue", "FakeCommands", "FakeEncoder", "FakeEvent"}) {
        instance_method(type, "retain", "@16@0:8", (void*)retained);
        instance_method(type, "release", "Vv16@0:8", (void*)released);
    }
}

void define_foundation() {
    define_runtime();
    class_method("NSString", "stringWithUTF8String:", "@24@0:8r*16", (void*)string_with);
    instance_method("NSString", "UTF8String", "r*16@0:8", (void*)characters);
    instance_method("NSError", "localizedDescription", "@16@0:8", (void*)description);
    instance_method("NSError", "code", "q16@0:8", (void*)code);
    class_method("MTLCompileOptions", "new", "@16@0:8", (void*)new_options);
    instance_method("MTLCompileOptions", "setMathMode:", "v24@0:8q16", (void*)set_math_mode);
    instance_method("MTLCompileOptions", "setFastMathEnabled:", "v20@0:8B16", (void*)set_fast_math);
    instance_method("MTLCompileOptions", "setMathFloatingPointFunctions:", "v24@0:8q16", (void*)set_math_functions);
    instance_method("MTLCompileOptions", "setLanguageVersion:", "v24@0:8Q16", (void*)set_language);
}
