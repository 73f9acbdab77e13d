// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

extension IdentityStore {
    /// Inserts the challenge of a code that is sent to the phone of an account.
    package func insert(phone challenge: AddressChallenge) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            try db.run(
                "INSERT INTO address_challenge \(AddressChallenge.Column.insertion)",
                AddressChallenge.Column.values(of: challenge))
        }
    }

    /// Verifies the phone number of an account by the right code of a challenge, or counts a wrong one.
    ///
    /// - Returns: Nil for the right code, which is then used up; otherwise `.wrong`, `.lastWrong` or `.ended`.
    /// - Throws: `IdentityError.invalidToken` if the device was signed out.
    package func verify(
        phone: PhoneNumber, of accountID: String, on device: [UInt8], by challengeID: String, isRight: Bool,
        at now: Date
    ) async throws(IdentityError) -> AddressChallenge.Answer? {
        try await write { db throws(IdentityError) in
            guard try db.isSignedIn(device, of: accountID, at: now) else { throw .invalidToken }
            let own = try db.number(
                "SELECT count(*) FROM address_challenge WHERE id = $1 AND account_id = $2",
                [.text(challengeID), .text(accountID)])
            guard own == 1 else { return .ended }
            if let failure = try db.failure(ofAnswer: isRight, to: challengeID, at: now) { return failure }
            try db.set(phone, of: accountID, at: now)
            try db.audit("account.phoneVerified", account: accountID, at: now)
            return nil
        }
    }

    /// Removes the phone number of an account.
    ///
    /// - Throws: `IdentityError.invalidToken` if the device was signed out.
    package func removePhone(of accountID: String, on device: [UInt8], at now: Date) async throws(IdentityError) {
        try await write { db throws(IdentityError) -> Void in
            guard try db.isSignedIn(device, of: accountID, at: now) else { throw .invalidToken }
            guard try db.account(accountID)?.phone != nil else { return }
            try db.set(nil, of: accountID, at: now)
            try db.audit("account.phoneRemoved", account: accountID, at: now)
        }
    }
}

extension SQLConnection {
    fileprivate func set(_ phone: PhoneNumber?, of accountID: String, at now: Date) throws(IdentityError) {
        try run(
            "UPDATE account SET phone = $1, phone_verified_at = $2, updated_at = $3 WHERE id = $4",
            [.text(phone?.text), .date(phone.map { _ in now }), .date(now), .text(accountID)])
    }
}
