// SPDX-License-Identifier: Apache-2.0

// LatchAuth: what proves who is asking, where it is kept, and the session that keeps it fresh.
//
// For: `Credential`, `Tokens`, `SecretStore`, `TokenStore`, `Session` and the interceptor that joins them to a client.
// Must not know: how a credential is first obtained (flows and forms live above) or which server issued it. A session
// is given a closure that renews, and everything else that touches the world through its initialiser.
