// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
import AxiomCore
import Expectations
import Foundation
import TestTags
import Testing
import UserService

@Suite struct UserManagerClientTests {
    private func client(_ service: UserServiceFake = FakeUserService.service()) -> UserManagerClient {
        UserManagerClient(service: service, reducer: SessionReducer())
    }

    @Test(.tags(.successfulLogin))
    func `The generated client of the user service has the user and the session after a login`() async throws {
        let client = client()
        try await client.process(.login(LoginRequest(email: "test@example.com", password: "validpassword")))
        let state = await client.getCurrentState()
        expectEqual(state.users.first?.id, "u1")
        expectEqual(state.sessions.first?.accessToken, "access-1")
        expectNil(state.error)
        #expect(!state.isLoading)
    }

    @Test(.tags(.failedLogin))
    func `The generated client of the user service has the error of a login that failed`() async {
        let client = client()
        let thrown = await #expect(throws: AxiomError.self) {
            try await client.process(.login(LoginRequest(email: "test@example.com", password: "no")))
        }
        let state = await client.getCurrentState()
        expectEqual(state.error, thrown)
        #expect(state.users.isEmpty && state.sessions.isEmpty)
        #expect(!state.isLoading)
    }

    @Test func `The generated client of the user service returns the response of a call to the caller`() async throws {
        let service = FakeUserService.service()
        service.onSetupTwoFactor = { _ in SetupTwoFactorResponse(secret: "GEZDGNBV") }
        let answer = try await client(service).setupTwoFactor(SetupTwoFactorRequest())
        expectEqual(answer.secret, "GEZDGNBV")
    }

    @Test(
        .tags(.pendingRegistration),
        arguments: [(true, false, [String]()), (false, true, []), (false, false, ["accept_terms"])])
    func `The generated client of the user service is not signed in while a verification is pending`(
        verification: Bool, second: Bool, actions: [String]
    ) async throws {
        let service = FakeUserService.service()
        service.onRegister = { _ in
            AuthResponse(
                user: FakeUserService.user, session: FakeUserService.session(), requiresVerification: verification,
                requires2fa: second, requiredActions: actions)
        }
        let client = client(service)
        try await client.register(RegisterRequest(email: "a@b.c", password: "12345678", acceptTerms: true))
        #expect(await client.getCurrentState().sessions.isEmpty)
    }

    @Test(.tags(.updateStrategies))
    func `The generated client of the user service updates an item by the key that the request names`() async throws {
        let service = FakeUserService.service()
        service.onUpdateProfile = { request in User(id: request.userId, email: request.email ?? "") }
        service.onDeleteUser = { _ in }
        service.onGetUsers = { _ in
            GetUsersResponse(
                users: [User(id: "u1", email: "one@a.b"), User(id: "u2", email: "two@a.b")], nextCursor: "next",
                totalCount: 57, hasMore: true)
        }
        let client = client(service)
        try await client.process(.getUsers(GetUsersRequest()))
        await expectEqual(client.getCurrentState().users.map(\.id), ["u1", "u2"])
        try await client.process(.updateProfile(UpdateProfileRequest(userId: "u2", email: "new@a.b")))
        await expectEqual(client.getCurrentState().user(withId: "u2")?.email, "new@a.b")
        try await client.process(.deleteUser(DeleteUserRequest(userId: "u1")))
        await expectEqual(client.getCurrentState().users.map(\.id), ["u2"])
        service.onChangePassword = { _ in }
        let before = await client.getCurrentState()
        try await client.process(
            .changePassword(ChangePasswordRequest(currentPassword: "old one", newPassword: "new one!")))
        await expectEqual(client.getCurrentState(), before)
    }

    @Test(.tags(.cacheLimits))
    func `The generated client of the user service keeps at most two hundred users, and the next page's cursor`()
        async throws
    {
        let service = FakeUserService.service()
        service.onGetUsers = { _ in
            GetUsersResponse(
                users: (0..<250).map { User(id: "\($0)") }, nextCursor: "c2", totalCount: 1_000, hasMore: true)
        }
        let client = client(service)
        try await client.process(.getUsers(GetUsersRequest()))
        let state = await client.getCurrentState()
        expectEqual(state.usersCount, 200)
        expectEqual(state.nextCursor, "c2")
        expectEqual(state.totalCount, 1_000)
        #expect(state.hasMore)
        expectEqual(state.paginatedUsers(offset: 198, limit: 10).map(\.id), ["198", "199"])
    }

    @Test(.tags(.actionRedaction))
    func `The generated client of the user service shows no password, token or captcha of an action`() {
        let actions: [UserManagerAction] = [
            .login(LoginRequest(email: "a@b.c", password: "hunter2", captchaToken: "hunter2")),
            .register(RegisterRequest(email: "a@b.c", password: "hunter2")),
            .logout(LogoutRequest(sessionToken: "hunter2")),
            .refreshToken(RefreshTokenRequest(refreshToken: "hunter2")),
            .changePassword(ChangePasswordRequest(currentPassword: "hunter2", newPassword: "hunter2")),
            .resetPassword(ResetPasswordRequest(resetToken: "hunter2", newPassword: "hunter2")),
            .verifyEmail(VerifyEmailRequest(verificationToken: "hunter2")),
            .verifyTwoFactor(VerifyTwoFactorRequest(code: "hunter2")),
        ]
        for action in actions {
            #expect(!String(describing: action).contains("hunter2"))
            #expect(!String(reflecting: action).contains("hunter2"))
            #expect("\(action)".hasPrefix(action.actionName))
        }
        let state = UserManagerState(sessions: [UserSession(id: "s", accessToken: "hunter2", refreshToken: "hunter2")])
        #expect(!"\(state)".contains("hunter2"))
    }

    @Test(.tags(.offlineData)) func `The generated client of the user service returns cached responses while offline`()
        async throws
    {
        let service = FakeUserService.service()
        let client = client(service)
        try await client.process(.getProfile(GetProfileRequest(userId: "u1")))
        service.onGetProfile = { _ in throw RPCError(.unavailable) }
        service.onLogin = { _ in throw RPCError(.unavailable) }
        try await client.process(.getProfile(GetProfileRequest(userId: "u1")))
        #expect(await client.getCurrentState().isStale)
        let thrown = await #expect(throws: AxiomError.self) {
            try await client.process(.login(LoginRequest(email: "a@b.c", password: "p")))
        }
        guard case .networkError? = thrown else { return #expect(Bool(false), "\(String(describing: thrown))") }
        expectEqual(thrown?.recoveryStrategy, .retry)
    }
}

@Suite struct UserManagerStateTests {
    private let state = UserManagerState(
        users: [
            User(id: "1", email: "zoe@a.b", firstName: "Zoe", createdAt: Date(timeIntervalSince1970: 30)),
            User(id: "2", email: "ann@a.b", firstName: "Ann", createdAt: Date(timeIntervalSince1970: 10)),
            User(id: "3", email: "bob@a.b", firstName: "Bob"),
        ])

    @Test func `The generated state of the user service supports searching, sorting and queries`() throws {
        expectEqual(state.searchUsers("BOB").map(\.id), ["3"])
        expectEqual(state.searchUsers("a.b zoe").map(\.id), ["1"])
        try expectEqual(state.sortedUsers(by: "email").map(\.id), ["2", "3", "1"])
        try expectEqual(state.sortedUsers(ascending: false).map(\.id), ["1", "2", "3"])
        #expect(throws: AxiomError.self) { try state.sortedUsers(by: "nothing") }
        expectEqual(state.usersCount, 3)
        #expect(state.isSessionsEmpty)
        expectEqual(state.statistics.totalItems, 3)
        #expect(!state.performanceMetrics.isOptimizedForLargeDatasets)
        #expect(state.validationResults.isEmpty)
    }

    @Test func `The generated state of the user service has value semantics`() {
        let changed = state.addingUser(User(id: "4")).removingUser(withId: "1")
            .updatingUser(User(id: "2", email: "new@a.b")).withLoading(true).withError(.networkError("no"))
        expectEqual(changed.users.map(\.id), ["2", "3", "4"])
        expectEqual(changed.user(withId: "2")?.email, "new@a.b")
        #expect(changed.isLoading)
        expectEqual(changed.error, .networkError("no"))
        #expect(changed.withUsers([]).isUsersEmpty)
        expectEqual(state.users.count, 3)
    }
}
