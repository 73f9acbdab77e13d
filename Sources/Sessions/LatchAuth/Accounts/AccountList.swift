// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation

/// The accounts of a program's user, one of which is current.
///
/// ```swift
/// let accounts = AccountList(service: "com.example.app") { entry, store in
///     Session(store: store) { request in try await issuer(at: entry.issuer).refresh(request.credential) }
/// }
/// let entry = try await accounts.signIn(tokens, as: "ada@example.com", issuer: "https://id.example.com")
/// let session = try await accounts.session(for: entry.id)
/// ```
///
/// The list contains no secrets, and is stored next to them as one record. Each account has its own tokens, locks and
/// notifications. No event of one account, such as a late refresh, therefore affects another. All processes of the user
/// see one list. A lock serializes its changes, and all processes are notified of them without polling.
public actor AccountList {
    /// A closure that creates the session of an account over the store of its tokens.
    public typealias MakeSession = @Sendable (AccountEntry, any TokenStore<Tokens>) throws -> Session<Tokens>

    /// A closure that returns the coordination of a record, by its name; nil if only one process uses it.
    package typealias Coordinate = @Sendable (_ record: String) -> (any SessionCoordination)?

    private let record: AccountListRecord
    private let secrets: any SecretStore
    private let coordinate: Coordinate
    private let makeSession: MakeSession
    private let random: RandomSource

    /// The coordination of the list, which is created once because it ignores its own notifications.
    private let coordination: (any SessionCoordination)?
    /// Serializes the changes and reads of the record within this process.
    private let mutex = AsyncMutex()
    /// Serializes the sign-ins and removals of this process, each of which changes the list and a record of tokens.
    private let memberships = AsyncMutex()
    private let broadcast = StateBroadcast(Content())
    /// The task that listens to other processes; it starts with the first observer.
    private var listener: Task<Void, Never>?
    /// The sessions of this process by account ID, with the client ID that each uses for refreshes.
    private var sessions: [String: (clientID: String?, session: Session<Tokens>)] = [:]

    /// Creates a list in the record `accounts` of `secrets`.
    ///
    /// - Parameters:
    ///   - secrets: The store of the list and of each account's tokens.
    ///   - random: The source of the accounts' identifiers.
    ///   - coordinate: Returns the coordination of the processes that share the store.
    ///   - makeSession: Creates an account's session, once in each process.
    package init(
        _ secrets: any SecretStore, random: RandomSource = .system, coordinate: @escaping Coordinate = { _ in nil },
        makeSession: @escaping MakeSession
    ) {
        self.secrets = secrets
        self.random = random
        self.coordinate = coordinate
        self.makeSession = makeSession
        record = AccountListRecord(secrets: secrets, name: "accounts")
        coordination = coordinate(record.name)
    }

    /// Creates a list in a secret store that only one process uses, such as an `InMemorySecretStore` of a test.
    ///
    /// - Parameters:
    ///   - secrets: The store of the list and of each account's tokens.
    ///   - makeSession: Creates an account's session, once in each process.
    public init(_ secrets: any SecretStore, makeSession: @escaping MakeSession) {
        self.init(secrets, coordinate: { _ in nil }, makeSession: makeSession)
    }

    /// Creates the list of a program in the platform's secret store.
    ///
    /// - Parameters:
    ///   - service: The name of the program, such as its bundle identifier.
    ///   - makeSession: Creates an account's session, once in each process.
    public init(service: String, makeSession: @escaping MakeSession) {
        self.init(
            platformSecretStore(service: service),
            coordinate: { platformCoordination(service: service, account: $0) }, makeSession: makeSession)
    }

    deinit {
        listener?.cancel()
        broadcast.finish()
    }

    /// Returns the stored list.
    ///
    /// - Throws: A `store…` code if the list cannot be read, which does not mean that it is empty.
    public func content() async throws -> Content { try await reload() }

    /// Returns a stream of the current list and each later change by any process, once and in order.
    ///
    /// The stream ends with this object, or when its consumer stops.
    ///
    /// - Throws: As `content()`.
    public func contents() async throws -> AsyncStream<Content> {
        listen()
        try await reload()
        return broadcast.stream()
    }

    /// Returns the session of an account; this process has one for each account.
    ///
    /// - Throws: `AuthError.unknownAccount`, a `store…` code, and the error of `makeSession`.
    public func session(for id: String) async throws -> Session<Tokens> {
        guard let entry = try await reload()[id] else {
            sessions[id] = nil
            throw AuthError.unknownAccount
        }
        return try session(of: entry)
    }

    /// Returns the session of an entry that is known to be in the list.
    private func session(of entry: AccountEntry) throws -> Session<Tokens> {
        if let (clientID, session) = sessions[entry.id], clientID == entry.clientID { return session }
        let name = "account.\(entry.id)"
        let store = SecretTokenStore<Tokens>(secrets, name: name, coordinatedBy: coordinate(name))
        let session = try makeSession(entry, store)
        sessions[entry.id] = (entry.clientID, session)
        return session
    }
}

extension AccountList {
    /// Signs a user in to an existing or a new account of the list, which becomes the current account.
    ///
    /// The account is listed before its tokens are stored, and made current afterwards. An interruption therefore
    /// leaves neither tokens without an account nor a current account without tokens. Meanwhile no process can sign in
    /// to or remove another account.
    ///
    /// - Parameters:
    ///   - tokens: The tokens that the issuer returned for the user.
    ///   - name: The display name. If another account has it, a number is added.
    ///   - issuer: The URL of the issuer.
    ///   - username: The name that the user signs in with; nil if it is not known.
    ///   - userID: The issuer's identifier of the user; nil if it is not known.
    ///   - clientID: The identifier of this program at the issuer; nil for an issuer without registrations.
    ///   - isClient: Whether the tokens belong to the program itself and not to a user.
    ///   - replaced: The identifier of the account that is signed in again if nothing names its user; nil finds the
    ///     account by the user.
    /// - Throws: A `store…` code; a new account is then removed again.
    @discardableResult
    public func signIn(
        _ tokens: Tokens, as name: String, issuer: String, username: String? = nil, userID: String? = nil,
        clientID: String? = nil, isClient: Bool = false, replacing replaced: String? = nil
    ) async throws -> AccountEntry {
        try await changingMemberships {
            try await self.add(
                tokens, as: name, issuer: issuer, username: username, userID: userID, clientID: clientID,
                isClient: isClient, replacing: replaced)
        }
    }

    private func add(
        _ tokens: Tokens, as name: String, issuer: String, username: String?, userID: String?, clientID: String?,
        isClient: Bool, replacing replaced: String?
    ) async throws -> AccountEntry {
        let wanted = AccountEntry(
            id: random.identifier(), name: name, issuer: issuer, username: username, userID: userID,
            clientID: clientID, isClient: isClient ? true : nil, scopes: tokens.grantedScopes)
        let entry = try await change(replacingDamaged: true) { content in
            var entry = replaced.flatMap { content[$0] } ?? content.entry(withUserOf: wanted) ?? wanted
            if entry.id == wanted.id { entry.name = content.freeName(for: name) }
            entry.username = username ?? entry.username
            entry.userID = userID ?? entry.userID
            entry.clientID = clientID
            entry.scopes = wanted.scopes
            content.put(entry)
            return entry
        }
        let session = try session(of: entry)
        do {
            try await session.signIn(tokens)
        } catch {
            if entry.id == wanted.id { await withdraw(entry) }
            throw error
        }
        do {
            try await use(entry.id)
        } catch AuthError.unknownAccount {
            // A process of an earlier version has removed the account in the meantime, so it stays removed.
            try await session.signOut()
            throw AuthError.unknownAccount
        }
        return entry
    }

    /// Removes a new account whose tokens could not be stored.
    private func withdraw(_ entry: AccountEntry) async {
        sessions[entry.id] = nil
        do {
            try await change { $0.remove(entry.id) }
        } catch {
            // The caller gets the first error; the account stays listed as signed out.
        }
    }

    /// Makes an account the current one.
    ///
    /// - Throws: `AuthError.unknownAccount`, or a `store…` code.
    public func use(_ id: String) async throws {
        try await change { content in
            guard content[id] != nil else { throw AuthError.unknownAccount }
            content.currentID = id
        }
    }

    /// Renames an account.
    ///
    /// - Throws: `AuthError.accountNameTaken`, `unknownAccount`, or a `store…` code.
    public func rename(_ id: String, to name: String) async throws {
        try await change { content in
            guard var entry = content[id] else { throw AuthError.unknownAccount }
            if let other = content.entry(named: name), other.id != id { throw AuthError.accountNameTaken }
            entry.name = name
            content.put(entry)
        }
    }

    /// Signs an account out on this device and removes it from the list.
    ///
    /// - Returns: The tokens that were current, so that the issuer can revoke them; nil if there were none.
    /// - Throws: `AuthError.unknownAccount`, or a `store…` code. If the tokens could not be removed, the account stays
    ///   in the list.
    @discardableResult
    public func remove(_ id: String) async throws -> Tokens? { try await removing(id).last }

    /// Removes an account as ``remove(_:)`` does.
    ///
    /// - Returns: The account's tokens, and whether the issuer was asked to revoke all credentials of earlier
    ///   sign-outs.
    package func removing(_ id: String) async throws -> (last: Tokens?, isRestRevoked: Bool) {
        let (session, last) = try await changingMemberships {
            let session = try await self.session(for: id)
            let last = try await session.signOut()
            try await self.change { $0.remove(id) }
            return (session, last)
        }
        sessions[id] = nil
        // Without an account, no process would revoke the remaining credentials later.
        return (last, await session.revocations?.close() ?? true)
    }

    /// Removes an account unless a user is signed in to it in this or another process.
    ///
    /// - Returns: Whether it was removed.
    /// - Throws: As ``remove(_:)``.
    package func removeSignedOut(_ id: String) async throws -> Bool {
        let isRemoved = try await changingMemberships {
            let session = try await self.session(for: id)
            guard try await session.records.isEmpty() else { return false }
            try await session.signOut()
            try await self.change { $0.remove(id) }
            return true
        }
        if isRemoved { sessions[id] = nil }
        return isRemoved
    }
}

extension AccountList {
    /// Reads the record, and notifies the observers.
    @discardableResult
    private func reload() async throws -> Content {
        let (record, broadcast) = (record, broadcast)
        return try await mutex.withLock {
            do {
                let content = try await record.load()
                broadcast.send(content)
                return content
            } catch {
                throw AuthError.fromStore(error)
            }
        }
    }

    /// Reads, changes and stores the record, while no other process can do so.
    ///
    /// - Parameter replacingDamaged: Whether a damaged list is set aside and replaced. Only a sign-in may do that,
    ///   because all other changes concern accounts of the damaged list.
    private func change<Result: Sendable>(
        replacingDamaged: Bool = false, _ body: @Sendable (inout Content) throws -> Result
    ) async throws -> Result {
        let (record, broadcast, coordination) = (record, broadcast, coordination)
        let result = try await mutex.withLock {
            let lock = try await coordination?.enter(.store)
            defer { lock?.release() }
            do {
                var content: Content
                do {
                    content = try await record.load()
                } catch AuthError.storeCorrupt where replacingDamaged {
                    try await record.secrets.setAside(record.name) { _ in false }
                    content = Content()
                }
                let before = content
                let result = try body(&content)
                if content != before || replacingDamaged { try await record.save(content) }
                broadcast.send(content)
                return result
            } catch {
                throw AuthError.fromStore(error)
            }
        }
        await coordination?.announceChange()
        return result
    }

    /// Runs `body`, which changes the list and an account's record of tokens, while no other process can do so.
    ///
    /// The list's store lock is not enough, because it protects only one change of the list. The list's other lock is
    /// free for this, because a list is never refreshed.
    private func changingMemberships<Result: Sendable>(
        _ body: @Sendable () async throws -> Result
    ) async throws -> Result {
        let coordination = coordination
        return try await memberships.withLock {
            let lock = try await coordination?.enter(.refresh)
            defer { lock?.release() }
            return try await body()
        }
    }

    /// Begins to listen to other processes, once.
    private func listen() {
        guard listener == nil, let coordination else { return }
        let changes = coordination.changes()
        listener = Task { [weak self] in
            for await _ in changes { await self?.hasChanged() }
        }
    }

    /// Follows a change by another process.
    private func hasChanged() async {
        do {
            try await reload()
        } catch {
            // No caller waits here. The next use or notification reads the record again.
        }
    }
}

extension AccountList {
    /// The content of a list at one moment.
    public struct Content: Sendable, Hashable {
        /// The accounts in the order of their creation.
        public internal(set) var entries: [AccountEntry] = []
        /// The identifier of the current account.
        ///
        /// It may be nil although there are accounts. When the current account is removed, no other becomes current,
        /// because a user must not unknowingly act as another one.
        public internal(set) var currentID: String?

        /// Creates an empty list.
        package init() {}

        /// The account that requests use; nil if none is selected.
        public var current: AccountEntry? { currentID.flatMap { self[$0] } }

        /// The account with an identifier.
        public subscript(id: String) -> AccountEntry? { entries.first { $0.id == id } }

        package func entry(named name: String) -> AccountEntry? { entries.first { $0.name == name } }

        /// Returns the account of the same user at the same issuer; nil if there is none.
        func entry(withUserOf other: AccountEntry) -> AccountEntry? { entries.first { $0.hasSameUser(as: other) } }

        /// Returns the name, or the first free one of `name (2)`, `name (3)` and so on.
        func freeName(for name: String) -> String {
            var free = name
            var number = 2
            while entry(named: free) != nil {
                free = "\(name) (\(number))"
                number += 1
            }
            return free
        }

        /// Replaces the entry with the same identifier, or appends it.
        mutating func put(_ entry: AccountEntry) {
            guard let index = entries.firstIndex(where: { $0.id == entry.id }) else { return entries.append(entry) }
            entries[index] = entry
        }

        /// Removes an account.
        mutating func remove(_ id: String) {
            entries.removeAll { $0.id == id }
            if currentID == id { currentID = nil }
        }
    }
}

/// The stored record of a list of accounts.
private struct AccountListRecord: Sendable {
    /// The JSON form of the record.
    private struct Content: Codable {
        /// The only version is 1; a record of a later version is not overwritten.
        var version = 1
        var current: String?
        var accounts: [AccountEntry]
    }

    let secrets: any SecretStore
    /// The name of the secret.
    let name: String

    /// Returns the stored list; empty if there is none.
    ///
    /// - Throws: `AuthError.storeCorrupt` if it is malformed, `storeUnavailable` if a later version wrote it.
    func load() async throws -> AccountList.Content {
        guard let bytes = try await secrets.read(name) else { return AccountList.Content() }
        let stored: Content
        do {
            stored = try JSONDecoder().decode(Content.self, from: Data(bytes))
        } catch {
            throw AuthError.store(.storeCorrupt, "the record '\(name)' is not a list of accounts")
        }
        guard stored.version == 1 else {
            throw AuthError.store(.storeUnavailable, "the record '\(name)' has version \(stored.version)")
        }
        var content = AccountList.Content()
        // The identifier names a record of tokens, so two accounts with the same one would share it.
        for entry in stored.accounts where content[entry.id] == nil { content.entries.append(entry) }
        content.currentID = stored.current.flatMap { content[$0]?.id }
        return content
    }

    /// Replaces the list.
    func save(_ content: AccountList.Content) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let stored = Content(current: content.currentID, accounts: content.entries)
        try await secrets.write(Array(encoder.encode(stored)), for: name)
    }
}
