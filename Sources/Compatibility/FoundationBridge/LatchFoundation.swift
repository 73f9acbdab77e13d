// SPDX-License-Identifier: Apache-2.0

// FoundationBridge: Foundation's messages and sessions beside the core's, for the facades that show them.
//
// For: facades whose callers name URLRequest, HTTPURLResponse and URLSession. It is no product: nothing of it is public.
// Must not know: any facade, and who is signed in.
