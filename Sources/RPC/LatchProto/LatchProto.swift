// SPDX-License-Identifier: Apache-2.0

// LatchProto: from the text of .proto files to descriptors, and from descriptors to Swift.
//
// For: a compiler of proto2, proto3 and editions without protoc: lexer, parser, linker, options, descriptor sets, and the
// writer of Swift sources. Text in, text out.
// Must not know: the runtime that the written code imports, the network, or how a command is spelled. Whoever calls it
// hands it files by name and gets descriptors, sources and diagnostics back.
