// SPDX-License-Identifier: Apache-2.0
import JWTAuth
import LatchAuth

struct Note: Codable, Sendable {}

struct Profile: Codable, Sendable {
    let name: String
}

struct Problem: Codable, Sendable {
    let message: String
}

struct LoginResponse: Codable, Sendable {}

let httpRequestClient: HTTPRequestClient = placeholder()
let keychainClient: KeychainClient = placeholder()
let authClient: JWTAuthClient = placeholder()
let fresh: AuthTokens = placeholder()
let note: Note = placeholder()
let credentials: [String: String] = placeholder()
let id: String = placeholder()
@MainActor let result: Response<Profile, Problem> = placeholder()
let session: Session<Tokens> = placeholder()
