// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchAccounts

struct Note: Codable, Sendable {}

let url: URL = placeholder()
let password: String = placeholder()
let auth: AuthClient = placeholder()

func askForPassword() async -> String { placeholder() }
func changeEmail() async throws {}
