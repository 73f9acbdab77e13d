// SPDX-License-Identifier: Apache-2.0

// Handlers use LatchHTTP's messages, so this re-export lets a server need only one import.
@_exported public import LatchHTTP
