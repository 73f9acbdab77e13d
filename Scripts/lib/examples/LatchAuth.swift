// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchAuth
import LatchHTTP
import LatchJOSE
import LatchServer

struct Issuer: Sendable {
    func refresh(_ tokens: Tokens, key: String? = nil) async throws -> Tokens { placeholder() }
}

let issuer: Issuer = placeholder()
let store: KeychainTokenStore = placeholder()
let session: Session<Tokens> = placeholder()
let tokens: Tokens = placeholder()
let token: String = placeholder()
let url: URL = placeholder()
let name: String = placeholder()
let password: String = placeholder()
let keychain: any SecretStore = placeholder()
let secrets: any SecretStore = placeholder()
nonisolated(unsafe) var router: Router = placeholder()
nonisolated(unsafe) var request: HTTPRequest = placeholder()
let partner: Key = placeholder()
let claims: Claims = placeholder()
let response: HTTPResponse = placeholder()

func issuer(at url: String) -> Issuer { placeholder() }
func list(of subject: String?) async throws -> HTTPResponse { placeholder() }
func authorize(acrValues: [String], maxAge: Duration?) async throws -> Tokens { placeholder() }
