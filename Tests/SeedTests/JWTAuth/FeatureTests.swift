// SPDX-License-Identifier: Apache-2.0

// Seed 001, its reducers and its view, with nothing imported but what its text imports: the types are its blocks as they
// stand there. What the text leaves out is added in extensions above and below.

import Expectations
import JWTAuthDependencies
import LatchTesting
import TestTags
import Testing

struct LoginFeature: Reducer {
    @Dependency(\.authTokensClient) var authTokensClient
    @Dependency(\.httpRequestClient) var httpRequestClient

    enum Action {
        case loginButtonTapped
        case loginResponse(Result<LoginResponse, Error>)
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .loginButtonTapped:
            return .run { [credentials = state.credentials] send in
                await send(
                    .loginResponse(
                        Result {
                            let response: SuccessResponse<LoginResponse> = try await httpRequestClient.send(
                                .post("/auth/login")
                                    .body(credentials)
                            )
                            return response.data
                        }))
            }

        case let .loginResponse(.success(loginResponse)):
            let tokens = AuthTokens(
                access: loginResponse.accessToken,
                refresh: loginResponse.refreshToken
            )

            return .run { send in
                try await authTokensClient.save(tokens)
                // Navigation handled by parent reducer based on session state
            }

        case let .loginResponse(.failure(error)):
            state.error = error.localizedDescription
            return .none
        }
    }
}

/// Left out by the text.
extension LoginFeature {
    struct State {
        var credentials: Credentials
        var error: String?
    }
}

/// Left out by the text.
struct Credentials: Codable, Sendable {
    let email: String
    let password: String
}

/// Left out by the text.
struct LoginResponse: Codable, Sendable {
    let accessToken: String
    let refreshToken: String
}

struct AppFeature: Reducer {
    @Dependency(\.jwtAuthClient) var authClient

    enum Action {
        case onAppear
        case sessionLoaded
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .onAppear:
            return .run { send in
                try await authClient.loadSession()
                await send(.sessionLoaded)
            }

        case .sessionLoaded:
            // The session is now available via @Shared(.authSession)
            return .none
        }
    }
}

/// Left out by the text.
extension AppFeature {
    struct State {}
}

struct ProfileFeature: Reducer {
    @Dependency(\.authTokensClient) var authTokensClient

    enum Action {
        case logoutButtonTapped
        case logoutCompleted
    }

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        switch action {
        case .logoutButtonTapped:
            return .run { send in
                // Optional: Call logout endpoint
                _ = try? await authClient.send(.post("/auth/logout"))

                // Clear local tokens
                try await authTokensClient.destroy()
                await send(.logoutCompleted)
            }

        case .logoutCompleted:
            // Navigation handled by parent based on session state
            return .none
        }
    }
}

/// Left out by the text, which uses `authClient` without declaring it here.
extension ProfileFeature {
    struct State {}
    var authClient: JWTAuthClient { Dependency(\.jwtAuthClient).wrappedValue }
}

struct AppView: View {
    @Shared(.authSession) var session

    var body: some View {
        switch session {
        case .none, .some(.missing):
            LoginView()

        case .some(.expired(let tokens)):
            // Optionally show "refreshing" UI
            // The client will automatically attempt refresh
            ProgressView("Refreshing session...")

        case .some(.valid(let tokens)):
            TabView {
                HomeView()
                ProfileView()
            }
        }
    }
}

@Suite struct FeatureTests {
    private func shown(_ view: AppView) -> [String] { (view.body as? Shown)?.names ?? [] }

    @Test(.tags(.tokenSaving))
    func `The reducers of seed 001 log in, load the session at the next start, and log out, at the real server`()
        async throws
    {
        try await AuthBackend.run { site in
            let view = AppView()
            expectEqual(shown(view), ["LoginView"])
            let credentials = try await site.register()
            let state = try await run(
                LoginFeature(), in: LoginFeature.State(credentials: credentials), sending: .loginButtonTapped)
            expectNil(state.error)
            expectEqual(shown(view), ["TabView(HomeView, ProfileView)"])

            try await site.startAgain {
                let view = AppView()
                expectEqual(shown(view), ["LoginView"])
                _ = try await run(AppFeature(), in: AppFeature.State(), sending: .onAppear)
                expectEqual(shown(view), ["TabView(HomeView, ProfileView)"])
                _ = try await run(ProfileFeature(), in: ProfileFeature.State(), sending: .logoutButtonTapped)
                expectEqual(shown(view), ["LoginView"])
            }
        }
    }

    @Test(.tags(.sessionLoading))
    func `The reducers of seed 001 show an expired session as one that is being refreshed`() async throws {
        try await AuthBackend.run { site in
            try await site.signIn(expired: true)
            expectEqual(shown(AppView()), ["Refreshing session..."])
        }
    }

    @Test func `A wrong password is an error that can be shown`() async throws {
        try await AuthBackend.run { site in
            let credentials = try await site.register()
            let state = try await run(
                LoginFeature(), in: .init(credentials: Credentials(email: credentials.email, password: "wrong")),
                sending: .loginButtonTapped)
            expectEqual(state.error, "The server responded with status 401.")
            expectNil(AppView().session)
        }
    }
}
