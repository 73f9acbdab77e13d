// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchAuth
import LatchHTTP
import LatchJOSE
import LatchOAuth

let url: URL = placeholder()
let callback: URL = placeholder()
let callbackURL: URL = placeholder()
let password: String = placeholder()
let secret: String = placeholder()
let token: String = placeholder()
let endpoint: TokenEndpoint = placeholder()
let store: KeychainTokenStore = placeholder()
let secrets: InMemorySecretStore = placeholder()
let key: Key = placeholder()
let registration: ClientRegistration = placeholder()
let server: AuthorizationServer = placeholder()
let response: HTTPResponse = placeholder()
let browser: ExampleBrowser = placeholder()

struct ExampleBrowser: Browser {
    func authorize(
        redirectingTo redirectURI: URL?, _ begin: @Sendable (URL) async throws -> AuthorizationAttempt
    ) async throws -> URL { placeholder() }
}

func open(_ url: URL) {}
