// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import Latchwork

let server = URL(string: "http://127.0.0.1:8080")!
let auth = AuthClient(baseURL: server, store: KeychainTokenStore(service: "sign-in", account: "ada"))
do {
    try await auth.signUp(email: "ada@example.com", password: "a long enough password")
} catch AccountError.emailTaken {}
try await auth.signIn(email: "ada@example.com", password: "a long enough password")
print("signed in as", try await auth.profile().email)  // refreshes the token when it is due
print("signed out:", try await auth.signOut())
