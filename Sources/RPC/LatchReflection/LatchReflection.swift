// SPDX-License-Identifier: Apache-2.0

// LatchReflection: what servers tell of their services (grpc.reflection.v1 and v1alpha), told and asked for.
//
// For: a server that wants to be explored with grpcurl and its like, from the descriptors that `latch descriptors` writes;
// a client that learns a server's services without their .proto files. Who does not import it carries none of it.
// Must not know: the compiler; descriptors are bytes here, of which the names are read.
