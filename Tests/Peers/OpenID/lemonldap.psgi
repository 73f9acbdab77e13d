# SPDX-License-Identifier: Apache-2.0
#
# The portal of LemonLDAP::NG below /, its scripts and style sheets below /static and /javascript, for lemonldap_provider.py.
use strict;
use warnings;
use Plack::App::File;
use Plack::Builder;
use Plack::Util;
use Lemonldap::NG::Portal::Main;
use Lemonldap::NG::Portal::UserDB::Demo;

package Latch::NoCaptcha {
    use Mouse;
    extends 'Lemonldap::NG::Portal::Main::Plugin';
    sub init { return 1 }
    $INC{'Latch/NoCaptcha.pm'} = __FILE__;
}

# The demonstration's accounts have their names as passwords.
%Lemonldap::NG::Portal::UserDB::Demo::demoAccounts = (
    $ENV{LATCH_USER} => { uid => $ENV{LATCH_USER}, cn => 'Alice Example', mail => $ENV{LATCH_EMAIL} },
);

my $portal = Lemonldap::NG::Portal::Main->run( {} );

# Cookies are for a domain with a leading dot, which a browser refuses where the host is an address.
my $without_domains = sub {
    my $env = shift;
    return Plack::Util::response_cb(
        $portal->($env),
        sub {
            my $fields = $_[0]->[1];
            for my $index ( grep { lc $fields->[ 2 * $_ ] eq 'set-cookie' } 0 .. $#$fields / 2 ) {
                $fields->[ 2 * $index + 1 ] =~ s/;\s*domain=[^;]*//i;
            }
            return;
        }
    );
};

builder {
    mount '/static' => Plack::App::File->new( root => $ENV{LATCH_STATIC} )->to_app;
    mount '/javascript' => Plack::App::File->new( root => $ENV{LATCH_SCRIPTS} )->to_app;
    mount '/'       => $without_domains;
};
