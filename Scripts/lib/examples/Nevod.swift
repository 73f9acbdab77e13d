// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchAuth
import Nevod

struct User: Codable, Sendable {}

struct GetUserRoute: Route {
    typealias Response = User
    typealias Domain = Service
    var domain: Service { .api }
    var endpoint: String { "users/me" }
    var method: HTTPMethod { .get }
    var parameters: [String: String]? { nil }
}

enum Service: ServiceDomain {
    case api
    var identifier: String { "api" }
}

let url: URL = placeholder()
let config: NetworkConfig = placeholder()
let authInterceptor: any RequestInterceptor = placeholder()
let session: Session<Tokens> = placeholder()

func logIn() async throws -> String { placeholder() }
