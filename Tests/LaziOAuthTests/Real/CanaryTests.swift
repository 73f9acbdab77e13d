// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import LaziOAuth
import Synchronization
import TestTags
import Testing

private let password = "Canary-Password-1!"

@MainActor
@Suite struct CanaryTests {
    /// Everything that a run has written down somewhere: logs, errors, descriptions and dumps.
    private final class Traces: Sendable {
        let text = Mutex("")
        func add(_ more: String) { text.withLock { $0 += more + "\n" } }

        @MainActor
        func add(_ service: OAuthService) {
            var dumped = ""
            dump(service, to: &dumped)
            dump(service.session.currentState, to: &dumped)
            dump(service.lastError, to: &dumped)
            add("\(service) \(service.session.currentState) \(String(describing: service.lastError)) \(dumped)")
        }
    }

    @Test(.tags(.secretTransport), arguments: RealBackend.Connection.allCases)
    func `A secret is in no URL, log, error, description or dump`(connection: RealBackend.Connection) async throws {
        let traces = Traces()
        let secrets = Mutex<Set<String>>([password])
        try await RealBackend.run(connection) { backend in
            let logging = LoggingInterceptor(LoggingOptions(minimumLevel: .debug)) { traces.add("\($0)") }
            let store = InMemoryTokenStore<Tokens>()
            let service = backend.service(store: store, interceptors: [logging])
            let remember = { @MainActor in
                guard let tokens = store.load() else { return }
                secrets.withLock { $0.formUnion([tokens.access, tokens.refresh ?? password]) }
                traces.add(service)
            }
            let response = try await service.signup(username: "ada", email: "a@example.com", password: password)
            traces.add("\(response) \(String(reflecting: response))")
            remember()
            let model = AuthViewModel(service: service)
            model.username = "ada"
            model.password = password
            var typed = ""
            dump(model, to: &typed)
            traces.add("\(model) \(typed)")
            await model.login()
            remember()
            _ = await service.refreshToken()
            remember()
            _ = try await APIClient(service: service).get("widgets", as: [String: [String]].self)
            model.password = password + "x"
            await model.login()
            traces.add(model.errorMessage ?? "")
            var dumped = ""
            dump(model, to: &dumped)
            traces.add(dumped)
            await service.logout()
            traces.add(service)
            #expect(backend.requests.allSatisfy { $0.query == nil })
            for request in backend.requests { traces.add(request.absoluteURL) }
        }
        let text = traces.text.withLock { $0 }
        let all = secrets.withLock { $0 }
        #expect(all.count >= 5)
        for secret in all { #expect(!text.contains(secret)) }
        #expect(text.contains("/oauth/token"))
    }
}
