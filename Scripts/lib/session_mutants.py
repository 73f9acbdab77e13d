# SPDX-License-Identifier: Apache-2.0
"""The rules of the session that Scripts/mutate leaves out."""

SESSION = "Sessions/LatchAuth/Session/"

# The name of the rule: the file below Sources, the line that enforces it, and the line in its place. `$out` is whether the
# mutant is selected, `$kept` whether it is not.
MUTANTS = {
    # All callers of a session share the running refresh.
    "sharedRefresh": (SESSION + "SessionRefresh.swift", "if let refreshResult {", 'if let refreshResult, $kept {'),
    # Only the issuer or the user ends a session; no other failure of a refresh does.
    "issuerEnds": (SESSION + "SessionRefresh.swift", "guard let response = (error as? HTTPError)?.response else { return false }",
        'guard $kept, let response = (error as? HTTPError)?.response else { return $out }'),
    # An operation that began before a sign-in or a sign-out has no effect after it.
    "generations": (SESSION + "Session.swift", "-> Bool { generation == self.generation }",
        '-> Bool { generation == self.generation || $out }'),
    # An issued credential is kept in memory until it can be stored.
    "unstoredKept": (SESSION + "SessionRefresh.swift", "uncommitted = (fresh, predecessor)",
        'if $kept { uncommitted = (fresh, predecessor) }'),
    # A store that cannot be read is not an empty one.
    "unreadableNotEmpty": (SESSION + "Session.swift", "publish(.unavailable(error))",
        'if $out { end(.noAccount) } else { publish(.unavailable(error)) }'),
    # The refusal of a credential that is no longer current causes no refresh.
    "lateRefusals": (SESSION + "Session.swift", "!current.hasSameAccessToken(as: refused), !isExpired(current) {",
        '!current.hasSameAccessToken(as: refused), !isExpired(current), $kept {'),
    # A refresh is repeated under the key of its first attempt.
    "oneKey": (SESSION + "SessionRefresh.swift", "?? random.identifier()", '.flatMap { $out ? nil : $0 } ?? random.identifier()'),
    # The record is read again once the session holds the lock.
    "readAgain": (SESSION + "SessionRefresh.swift", "var record = try await records.load()",
        'var record = $kept\n? try await records.load() : TokenRecord(credential: state.credential, sessionID: sessionID)'),
    # The key of a refresh is stored before the request.
    "intentFirst": (SESSION + "SessionRefresh.swift", "record?.refreshKey != key {",
        'record?.refreshKey != key, $kept {'),
    # The sessions over one record ask the issuer one at a time.
    "lock": (SESSION + "SessionRefresh.swift", "guard let coordination = records.coordination else { return nil }",
        'guard $kept, let coordination = records.coordination else { return nil }'),
    # A session keeps the lock until it has stored the successor.
    "lockKept": (SESSION + "SessionRefresh.swift", "guard uncommitted != nil else { return lock.release() }",
        'guard uncommitted != nil, $kept else { return lock.release() }'),
    # Only a caller that cannot use the current credential waits for the lock of another session.
    "waitsInNeed": (SESSION + "SessionRefresh.swift", "guard refreshIsNeeded || isExpired(value) else",
        'guard refreshIsNeeded || isExpired(value) || $out else'),
    # The changes of another session to the record are not overwritten.
    "othersStand": (SESSION + "SessionRefresh.swift", "if records.keepsRecords {", 'if records.keepsRecords, $kept {'),
    # The session reads the record again before it reports that it is signed out.
    "confirmedSignOut": (SESSION + "SessionStorage.swift", "guard records.coordination != nil else { return }",
        'guard records.coordination != nil, $kept else { return }'),
}
