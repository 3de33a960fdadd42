// conformance_main.cc - runs the binary part of Google's conformance suite.
//
// Google's own main runs the text format suite too, which would cost its build
// only to have every case skipped.
#include "binary_json_conformance_suite.h"
#include "conformance_test.h"

int main(int argc, char *argv[]) {
    google::protobuf::BinaryAndJsonConformanceSuite suite;
    return google::protobuf::ForkPipeRunner::Run(argc, argv, {&suite});
}
