// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchAuth
import LatchHTTP
import LatchServer

struct MyStore: SecretStore {
    init(at place: String) {}

    func read(_ name: String) -> [UInt8]? { placeholder() }
    func write(_ secret: [UInt8], for name: String) {}
    func remove(_ name: String) {}
    func names() -> [String] { placeholder() }
}

struct MyTokenStore: TokenStore {
    init(at place: String) {}

    func save(_ tokens: Tokens) {}
    func load() -> Tokens? { placeholder() }
    func clear() {}
}

struct Ticket: SessionCredential, Codable {
    init(_ text: String) {}

    func authorize(_ request: inout HTTPRequest) {}
}

let url: URL = placeholder()
let place: String = placeholder()
let client: Client = placeholder()
let route: Route<String> = placeholder()
let router: Router = placeholder()
let transport: any Handler = placeholder()
let request: HTTPRequest = placeholder()
let redirectURI: URL = placeholder()
let creationOptions: Data = placeholder()
let requestOptions: Data = placeholder()
let provider: ExampleProvider = placeholder()

struct ExampleProvider: Sendable {
    func approve(_ page: URL) throws -> URL { placeholder() }
}
