// SPDX-License-Identifier: Apache-2.0

// Handlers are written in terms of LatchHTTP's messages, so a server needs one import only.
@_exported public import LatchHTTP
