package main

// joinedLater are tests of parts that are joined after this one.
var joinedLater = []string{"TestAPasswordIsChangedByWhoKnowsTheOldOne", "TestTheFirstGuessesAreNoPasswords", "TestAForgottenPasswordIsReplacedByMail", "TestAnInvitationIsOpenForSevenDays",
	"TestAPasskeyOpensTheDoor", "TestSendingAgainReplacesTheLink", "TestALinkHoldsATokenThatIsKeptAsAHashAlone", "TestLiveModeDoesNotServeADatabaseWithADemo", "TestAnAdminResetsTheFactorsOfAMember",
	"TestOfTwoUsesOfOneRecoveryCodeOneWins", "TestRecoveryCodesAreReplacedAndGivenAsTextOnlyWhileTheyWork", "TestSignInWithACodeOpensANewSessionAndACodeWorksOnce",
	"TestWrongCodesLockThatSortOfCodeOfThatPersonAlone", "TestOneAnswerOpensOneSession", "TestWhatMattersAsksAgainAfterFiveMinutes", "TestWhatAsksAgain",
	"TestABusinessThatDemandsAFactorLeadsToTheSetUpAndNowhereElse", "TestWhereASecondPersonIsWantedNobodyDeletesAlone", "TestABatchAboveThePersonsLimitIsNotSent"}
