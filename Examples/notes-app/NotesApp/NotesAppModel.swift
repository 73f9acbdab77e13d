// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchAccounts
import LatchAuth
public import LatchHTTP
public import LatchUI
public import Observation

/// The app: its accounts, and the notes of the current one.
@MainActor @Observable
public final class NotesAppModel {
    /// The accounts.
    public let auth: AuthModel
    /// The notes of the current account; nil while no user is signed in.
    public private(set) var notes: NotesModel?
    /// The failure of the last change of the account on this device; nil for none.
    public private(set) var failure: ScreenFailure?

    @ObservationIgnored private let service: URL
    @ObservationIgnored private let folder: URL
    @ObservationIgnored private let transport: any Handler
    /// The account whose notes are shown.
    @ObservationIgnored private var shownID: String?

    /// Creates the app.
    ///
    /// - Parameters:
    ///   - auth: The accounts.
    ///   - service: The URL of the notes, which is also the audience of the tokens.
    ///   - folder: The folder of the caches, one file for each account.
    ///   - transport: Sends the requests to the service.
    public init(_ auth: AuthModel, service: URL, folder: URL, transport: any Handler = Transport.live) {
        self.auth = auth
        self.service = service
        self.folder = folder
        self.transport = transport
    }

    /// The account whose notes are to be shown; nil while no user is signed in.
    public var currentID: String? { auth.isSignedIn ? auth.account?.id : nil }

    /// Shows the notes of the current account, after a change of ``currentID``.
    ///
    /// Whoever signs out leaves no notes on the device. A session that the server has ended keeps them, with what waits.
    public func followAccount() {
        let id = currentID
        guard id != shownID else { return }
        let lastID = shownID
        (shownID, notes, failure) = (id, nil, nil)
        do {
            let isSignedOut = auth.client.session.currentState == .signedOut(.user)
            if id == nil, let lastID, isSignedOut { try removeNotes(of: lastID) }
            if let id { notes = NotesModel(NoteStore(try makeClient(), file: file(of: id))) }
        } catch {
            failure = ScreenFailure(error)
        }
    }

    private func removeNotes(of id: String) throws {
        let file = file(of: id)
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }

    private func file(of id: String) -> URL { folder.appendingPathComponent("notes-\(id).json") }

    private func makeClient() throws -> Client {
        guard let origin = HTTPOrigin(service) else { throw HTTPError.invalidURL }
        return Client(
            baseURL: service, transport: transport,
            interceptors: [
                SessionInterceptor(auth.client.session, for: .origin(origin)), auth.connection.interceptor,
            ])
    }
}
