// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
// The document's code names URLRequest, which on Linux is in a module of its own.
@_exported import FoundationNetworking
#endif
