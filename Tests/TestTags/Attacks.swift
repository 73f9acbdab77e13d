// SPDX-License-Identifier: Apache-2.0

public import Testing

/// The cases of Documentation/Attacks.md.
extension Tag {
    @Tag public static var attackC1: Self
    @Tag public static var attackC2: Self
    @Tag public static var attackC3: Self
    @Tag public static var attackC4: Self
    @Tag public static var attackC5: Self
    @Tag public static var attackC6: Self
    @Tag public static var attackC7: Self
    @Tag public static var attackC8: Self
    @Tag public static var attackC9: Self
    @Tag public static var attackC10: Self
    @Tag public static var attackC11: Self
    @Tag public static var attackC12: Self
    @Tag public static var attackC13: Self
    @Tag public static var attackD1: Self
    @Tag public static var attackD3: Self
    @Tag public static var attackD4: Self
    @Tag public static var attackD5: Self
    @Tag public static var attackD6: Self
    @Tag public static var attackD7: Self
    @Tag public static var attackD8: Self
    @Tag public static var attackD9: Self
    @Tag public static var attackD10: Self
    @Tag public static var attackD11: Self
    @Tag public static var attackD12: Self
    @Tag public static var attackE1: Self
    @Tag public static var attackE2: Self
    @Tag public static var attackE3: Self
    @Tag public static var attackE4: Self
    @Tag public static var attackE5: Self
    @Tag public static var attackE6: Self
    @Tag public static var attackE7: Self
    @Tag public static var attackE9: Self
    @Tag public static var attackE10: Self
    @Tag public static var attackE11: Self
    @Tag public static var attackF1: Self
    @Tag public static var attackF2: Self
    @Tag public static var attackF3: Self
    @Tag public static var attackF4: Self
    @Tag public static var attackF5: Self
    @Tag public static var attackF6: Self
    @Tag public static var attackF7: Self
    @Tag public static var attackF8: Self
    @Tag public static var attackG3: Self
    @Tag public static var attackG4: Self
    @Tag public static var attackH1: Self
    @Tag public static var attackH2: Self
    @Tag public static var attackH3: Self
    @Tag public static var attackH4: Self
    @Tag public static var attackH5: Self
    @Tag public static var attackH6: Self
    @Tag public static var attackH7: Self
    @Tag public static var attackJ1: Self
    @Tag public static var attackJ2: Self
    @Tag public static var attackJ3: Self
    @Tag public static var attackK2: Self
    @Tag public static var attackK3: Self
    @Tag public static var attackK6: Self
    @Tag public static var attackK7: Self
    @Tag public static var attackK8: Self
    @Tag public static var attackK9: Self
    @Tag public static var attackK10: Self
}
