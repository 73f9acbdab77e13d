// SPDX-License-Identifier: Apache-2.0

// Latchwork: one import for an app.
//
// For: programs that sign people in and call an API in their name; they get messages, client, tokens, session,
// grants and accounts by `import Latchwork`.
// Must not hold: code of its own, or the server side.

@_exported public import LatchAccounts
@_exported public import LatchAuth
@_exported public import LatchCore
@_exported public import LatchHTTP
@_exported public import LatchJOSE
@_exported public import LatchOAuth
