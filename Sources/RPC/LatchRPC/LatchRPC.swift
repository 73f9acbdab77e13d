// SPDX-License-Identifier: Apache-2.0

// LatchRPC: what generated clients and servers run on: messages with their encodings, calls, actions and state.
//
// For: protobuf in its binary, JSON and text forms; Connect, gRPC-Web and gRPC over LatchHTTP's handlers, on both sides;
// the state that a client keeps of a service.
// Must not know: credentials, sessions or accounts (a session is an interceptor from above), and the compiler, which only
// writes text that imports this module. C is reached only from Platform/Linux.
